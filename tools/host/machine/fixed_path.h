#pragma once
#include <filesystem>
#include <vector>

#include "ports/process.h"

namespace pinwheel::host {

/// Compilers write absolute paths into what they make (nvcc into symbol names, where no flag
/// reaches them), so every build sees its files at one path, whatever directory they lie in: a bind
/// mount in a mount namespace of the build's own. Some containers forbid namespaces; the wheel's
/// record then says so.
enum class PathMode { fixed, real };

/// Where builds see their scratch directory in mode `fixed`.
inline constexpr const char* kFixedPath = "/tmp/pinwheel-build";

/// A directory that a build sees elsewhere. `at` is relative to the build's root.
struct BuildMount {
  std::filesystem::path from;
  std::filesystem::path at;
};

/// A build's directories, by their real paths and as the build sees them.
class BuildSpace {
 public:
  /// `scratch` is the real root. Mount points are made below it.
  BuildSpace(std::filesystem::path scratch, PathMode mode, std::vector<BuildMount> mounts);

  /// The path of a file below the root as the build sees it: `src` -> "/tmp/pinwheel-build/src".
  std::filesystem::path seen(const std::filesystem::path& relative) const;
  /// The real path of the same file; inside a mount that is the mounted directory.
  std::filesystem::path real(const std::filesystem::path& relative) const;
  /// The command as it is started: with the mounts that show it the fixed path in mode `fixed`. Its
  /// directory and arguments are paths as the build sees them.
  ports::Command wrap(ports::Command command) const;

  PathMode mode() const { return mode_; }
  const std::vector<BuildMount>& mounts() const { return mounts_; }

 private:
  std::filesystem::path scratch_;
  PathMode mode_;
  std::vector<BuildMount> mounts_;
};

/// Tries the namespace once with a harmless command.
PathMode probe_path_mode(ports::Process& process, const std::filesystem::path& scratch);

}  // namespace pinwheel::host
