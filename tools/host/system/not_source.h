#pragma once
#include <filesystem>
#include <vector>

namespace pinwheel::host {

/// What lies below a package's source and is no part of it.
struct NotSource {
  /// Directories that runs fill. What is tracked there is source.
  std::vector<std::filesystem::path> made = {};
  /// Files and directories that a command line names: plans, reports, stores, logs. Never source:
  /// a plan cannot be current for a source that contains it.
  std::vector<std::filesystem::path> named = {};
};

}  // namespace pinwheel::host
