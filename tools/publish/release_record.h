#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/pinned_version.h"

namespace pinwheel::publish {

/// The file name of a release's record in the output directory.
inline constexpr const char* kReleaseRecordName = "pinwheel-release.json";

/// A file of a release.
struct RecordedFile {
  std::string filename;
  uint64_t size = 0;   ///< bytes
  std::string sha256;  ///< hexadecimal

  bool operator==(const RecordedFile&) const = default;
};

/// The files that a release of one project published, which identify it on any index.
struct ReleaseRecord {
  std::string project;      ///< normalized
  std::string version;      ///< if it has no local part, files may have any
  std::string tag = {};     ///< of the release; empty for a development version
  std::string commit = {};  ///< hex; empty outside of a repository
  std::vector<RecordedFile> files = {};
  uint64_t build = 0;  ///< build number of a re-cut, which all of its files have; 0: none

  bool operator==(const ReleaseRecord&) const = default;
};

/// The version of the record's project. For records that were parsed.
PinnedVersion release_of(const ReleaseRecord& record);

/// JSON, schema `pinwheel-release/1`, the files sorted by name.
std::string record_json(const ReleaseRecord& record);

/// The inverse of `record_json`. `config` for any other text: unknown and missing members, a
/// version or a digest that is none, a file that is no wheel or sdist of that version of the
/// project, or not a wheel with its build number, a size of 0 or above the limit for its kind, two
/// files with one name, or no file.
Result<ReleaseRecord> parse_release_record(std::string_view text);

/// What a release published to one target.
struct Publication {
  std::string target;
  std::map<std::string, std::vector<RecordedFile>> projects = {};  ///< normalized name -> files
};

/// The facts of a release that its files do not have.
struct ReleaseFacts {
  std::string package;      ///< whose record has the plain file name
  std::string tag = {};     ///< as `ReleaseRecord::tag`
  std::string commit = {};  ///< as `ReleaseRecord::commit`
  uint64_t build = 0;       ///< as `ReleaseRecord::build`
};

/// The records of a release by file name, one for each project. The package's own is
/// `pinwheel-release.json`, that of another project `pinwheel-release-PROJECT.json`. If the targets
/// do not have the same files of a project, each has a record, whose name ends with the target's.
std::map<std::string, ReleaseRecord> records_of(const std::vector<Publication>& publications,
                                                const ReleaseFacts& facts);

/// Whether a path is that of a record, and not of a file to publish: `pinwheel-release.json` and
/// `pinwheel-release-NAME.json`.
bool is_release_record(std::string_view path);

}  // namespace pinwheel::publish
