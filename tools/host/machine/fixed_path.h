#pragma once
#include <filesystem>
#include <utility>
#include <vector>

#include "ports/process.h"

namespace pinwheel::host {

/// Compilers write absolute paths to their output (nvcc to symbol names, which no flag can change),
/// so every build sees its files at a fixed path, regardless of their real directory: a bind mount
/// in a private mount namespace. Some containers forbid namespaces; this is then noted in the
/// wheel's record.
enum class PathMode { fixed, real };

/// The path of a build's scratch directory in mode `fixed`.
inline constexpr const char* kFixedPath = "/tmp/pinwheel-build";

/// A directory that a build sees at another path. `at` is relative to the build's root.
struct BuildMount {
  std::filesystem::path from;
  std::filesystem::path at;
};

/// A build's directories, by real path and as the build sees them.
class BuildSpace {
 public:
  /// `scratch` is the real root. Mount points are created below it.
  BuildSpace(std::filesystem::path scratch, PathMode mode, std::vector<BuildMount> mounts);

  /// The path of a file below the root as the build sees it: `src` -> "/tmp/pinwheel-build/src".
  std::filesystem::path seen(const std::filesystem::path& relative) const;
  /// The real path of the same file; inside a mount, the path in the mounted directory.
  std::filesystem::path real(const std::filesystem::path& relative) const;
  /// The command to start: in mode `fixed`, with the mounts for the fixed path. Its directory and
  /// arguments are paths as the build sees them.
  ports::Command wrap(ports::Command command) const;

  /// Further mounts, over paths outside the root; of no effect in mode `real`. Outer ones come
  /// last.
  void cover(std::vector<ports::Mount> mounts) { covers_ = std::move(mounts); }

  PathMode mode() const { return mode_; }
  const std::vector<BuildMount>& mounts() const { return mounts_; }

 private:
  std::filesystem::path scratch_;
  PathMode mode_;
  std::vector<BuildMount> mounts_;
  std::vector<ports::Mount> covers_ = {};
};

/// Whether commands can be given a network of their own; tested with a harmless command.
ports::Network probe_network(ports::Process& process);

/// Tests whether a namespace works, with a harmless command.
PathMode probe_path_mode(ports::Process& process, const std::filesystem::path& scratch);

}  // namespace pinwheel::host
