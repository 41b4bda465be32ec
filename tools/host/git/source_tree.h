#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/action.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::host {

/// The package as git sees it: tracked files, and untracked ones that are not ignored and belong to
/// it (`UntrackedSource`). The digest covers paths, contents and the executable bit, so it is the
/// same in every clone and under every umask. Outside git, the files of a directory are all
/// included except leftovers of builds (`BuildLeftovers`). Files named by `others` are never
/// included: they would change the source. `config` if it is missing or empty.
Result<plan::Source> read_source(ports::Git& git, const std::filesystem::path& directory,
                                 const ports::NotSource& others);

/// The names and sizes of the files of `read_source`, without their contents: every digest is
/// empty. Outlines a source before anything is built from it.
Result<plan::Source> list_source(ports::Git& git, const std::filesystem::path& directory,
                                 const ports::NotSource& others);

/// The settings of a matrix for the source of its wheels.
struct WheelSource {
  std::string name;                        ///< of the distribution
  std::vector<std::string> ignored = {};   ///< `package.ignore`
  std::vector<std::string> commands = {};  ///< words of the commands of builds
};

/// The source of a package's wheels: without the files that no wheel has (`project::not_in_wheels`)
/// and those that `ignored` matches. `whole` is the result of `read_source`.
Result<plan::Source> read_wheel_source(const plan::Source& whole, const WheelSource& what);

/// The last commit that changed one of the files that belong to the source. Files named by `others`
/// do not.
Result<ports::GitChange> last_change(ports::Git& git, const plan::Source& source,
                                     const ports::NotSource& others);

/// All files of a directory that is not a checkout, such as an unpacked sdist, even below a
/// checkout; otherwise as `read_source`.
Result<plan::Source> read_directory(const std::filesystem::path& directory);

/// Copies the snapshot to `destination` with modes 0644 and 0755 and `epoch` as the modification
/// time; symbolic links stay links. `step` if the tree no longer matches `source.digest`: it was
/// edited in the meantime; names the files. `others` as for `read_source`.
Done export_source(ports::Git& git, const plan::Source& source, const ports::NotSource& others,
                   const std::filesystem::path& destination, int64_t epoch);

}  // namespace pinwheel::host
