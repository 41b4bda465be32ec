#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/artifact.h"
#include "publish/index_file.h"
#include "publish/pinned_version.h"
#include "publish/release_record.h"

namespace pinwheel::publish {

enum class SourceKind { index, directory, store };

/// Where the files of a release are published or stored already.
struct ReleaseSource {
  SourceKind kind = SourceKind::index;
  std::string name;   ///< for messages, without credentials
  std::string place;  ///< the URL of an index's simple API, or the path of a directory
};

/// The source that `--from` names: `store`, the name of an index, the URL of a simple index, else a
/// directory.
ReleaseSource release_source(const std::string& text);

/// A file of a record and its URL at the source.
struct SourceFile {
  RecordedFile recorded;
  std::string url;
};

/// A project of the release that its other wheels require.
struct SiblingLine {
  std::string project;
  std::string line;        ///< of a requirements file, with hashes
  std::string unmet = {};  ///< the requirement, if the version of the release does not satisfy it
};

/// What to install for a wheel of a release, each part from its own index.
struct InstallLines {
  std::string own;                         ///< from the first target, like the siblings
  std::vector<SiblingLine> siblings = {};  ///< none twice with the same line
  std::vector<std::string> others = {};    ///< from the user's own index: requirements

  /// A requirements file for the first target.
  std::string release() const { return own + of_siblings(); }
  std::string of_siblings() const;
};

/// The line for a project of a release in a version, which may be local. Installers choose among
/// all wheels of the record.
InstallLines install_lines(const ReleaseRecord& own, const std::string& version);

/// Adds the requirements of a wheel of the release. Those on projects of the release, other than
/// `own`, are siblings with the hashes of their record: the user's index is never asked for them.
/// Requirements of extras are left out. `check` for a malformed requirement on a sibling.
Done add_requirements(InstallLines& lines, const std::vector<ReleaseRecord>& records,
                      const std::string& own, const std::vector<std::string>& requirements);

/// Adds the siblings that a plan knows, which are among the requirements of the wheel or of each
/// other: `NAME==VERSION` with the hashes of their records. Those that are there stay as they are.
/// `check` if a sibling has no record with a wheel of that version: the user's index would be asked
/// for it.
Done add_siblings(InstallLines& lines, const std::vector<ReleaseRecord>& records,
                  const std::vector<PinnedVersion>& siblings);

/// `usage` if the record is of another project or version.
Done check_record(const ReleaseRecord& record, const PinnedVersion& wanted);

/// Finds the files of a record among the files of its project at a source. `check`, with all
/// differences as causes: files that are missing, that have another SHA-256 or size there, and
/// files of the same version and build number that the record does not have.
Result<std::vector<SourceFile>> select_recorded(const ReleaseRecord& record,
                                                const std::vector<IndexFile>& page,
                                                const std::string& source);

/// The fault of a received file; `check` if its bytes are not those of the record.
Done check_received(const RecordedFile& recorded, uint64_t size, const std::string& sha256,
                    const std::string& source);

/// `check_received` for the files that were read to be published, all faults together.
Done check_promoted(const ReleaseRecord& record, const std::vector<Artifact>& files,
                    const std::string& source);

/// The error for a release that a source does not have as recorded.
Error not_as_recorded(const ReleaseRecord& record, const std::string& source,
                      std::vector<Error> differences);

/// The difference of a file that a source does not have.
Error missing_at(const RecordedFile& recorded, const std::string& source);

}  // namespace pinwheel::publish
