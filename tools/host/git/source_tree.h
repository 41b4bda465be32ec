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
/// it (`UntrackedSource`). The digest
/// covers paths, contents and the executable bit, so it is the same in every clone and under every
/// umask. Of a directory outside git all files are included but what builds leave
/// (`BuildLeftovers`). What `others` names is never: it would change the source. `config` if it is
/// missing or empty.
Result<plan::Source> read_source(ports::Git& git, const std::filesystem::path& directory,
                                 const ports::NotSource& others);

/// What a matrix says of the source of its wheels.
struct WheelSource {
  std::string name;                        ///< of the distribution
  std::vector<std::string> ignored = {};   ///< `package.ignore`
  std::vector<std::string> commands = {};  ///< words of the commands of builds
};

/// The source of a package's wheels: without what no wheel has (`project::not_in_wheels`) and what
/// `ignored` matches. `whole` is what `read_source` returned.
Result<plan::Source> read_wheel_source(const plan::Source& whole, const WheelSource& what);

/// The last commit that changed one of the files that belong to the source. Files that `others`
/// names do not.
Result<ports::GitChange> last_change(ports::Git& git, const plan::Source& source,
                                     const ports::NotSource& others);

/// All files of a directory that is not a checkout, such as an unpacked sdist, whatever lies above
/// it; otherwise as `read_source`.
Result<plan::Source> read_directory(const std::filesystem::path& directory);

/// Copies the snapshot to `destination` with modes 0644 and 0755 and `epoch` as the modification
/// time; symbolic links stay links. `step` if the tree no longer matches `source.digest`: it was
/// edited in the meantime; names the files. `others` as for `read_source`.
Done export_source(ports::Git& git, const plan::Source& source, const ports::NotSource& others,
                   const std::filesystem::path& destination, int64_t epoch);

}  // namespace pinwheel::host
