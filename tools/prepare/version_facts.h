#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/action.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/log.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "version/rules.h"
#include "version/tagged.h"

namespace pinwheel::prepare {

/// The default channel, without `--channel`, and why it was chosen.
struct DefaultChannel {
  std::string name = {};  ///< "release"
  std::string why = {};   ///< "tag `v1.2.0` is on HEAD"; empty: the command line named it
};

/// The facts of a run that come only from git, the matrix and the command line.
struct VersionFacts {
  std::string channel;  ///< empty if the matrix does not have the default one
  DefaultChannel default_channel = {};
  std::string branch;                ///< empty on a detached HEAD and outside git
  std::vector<std::string> targets;  ///< publish targets of the channel, or the requested ones
  bool publishes_nowhere = false;    ///< no target is requested, and the channel has `publish: []`
  plan::ReleaseVersion version;
  std::vector<std::string> why;  ///< of the version, as `version::Derived`
  /// The package's tag on HEAD; none if the version comes from tags.
  std::optional<version::Tagged> tag = {};
  bool dirty = false;  ///< tracked files differ from HEAD
  int64_t source_date_epoch = 0;
  /// From a frozen plan; none: `gather_build_facts` finds it.
  std::optional<plan::SourceChange> wheel_change = {};
  /// The same for the other packages of a family, by name.
  std::map<std::string, plan::SourceChange> family_changes = {};
  std::string commit;  ///< 40 hex digits; empty outside git
  /// The tag of a release of this commit, whether it exists or not; empty for a development version
  /// and a dirty tree, which have none.
  std::string release_tag = {};
  std::string repository = {};  ///< on GitHub, "OWNER/NAME"; empty if unknown
  std::string machine;          ///< "x86_64"
};

/// Reads git, and the source of the package's version. `channel`, `targets` and `build`, the build
/// number of the wheels, override those from the tag and the matrix. `usage` for a nightly with a
/// build number.
Result<VersionFacts> gather_version_facts(const Host& host, const Loaded& loaded,
                                          const std::string& channel,
                                          const std::vector<std::string>& targets, uint64_t build,
                                          const ports::LogHandle& log);

/// The date in the user's SOURCE_DATE_EPOCH. Pure.
std::optional<std::string> named_date(const std::map<std::string, std::string>& variables);

/// The tag on HEAD with a version of the package, for a version that comes from the project's
/// files. nullopt without one, and for any other source of the version.
Result<std::optional<version::Tagged>> tag_on_head(const ports::GitFacts& git,
                                                   const matrix::Package& package);

/// The note that the run is a re-cut; empty for any other.
std::string recut_line(const plan::ReleaseVersion& version);

/// The note that a channel with `publish: []` publishes nowhere.
std::string nowhere_line(const std::string& channel);

/// The kind of versions that a channel has. A channel of the matrix may have any name; its versions
/// are those of a release, a test, a nightly or a development build. Pure.
version::Channel version_channel(const matrix::Matrix& matrix, const std::string& name);

/// Whether the matrix sets `publish: []` for a channel. Pure.
bool publishes_nowhere(const matrix::Matrix& matrix, const std::string& channel);

/// Names the wheels of an outline: a check before any build.
Result<plan::Namings> name_builds(const Loaded& loaded, const plan::Outline& outline,
                                  const VersionFacts& version);

/// The checks of `name_builds`, in less time if an outline has many builds.
Done check_build_names(const Loaded& loaded, const plan::Outline& outline,
                       const VersionFacts& version);

}  // namespace pinwheel::prepare
