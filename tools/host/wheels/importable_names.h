#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace pinwheel::host {

/// The top-level packages that a wheel installs, from the directories and modules in its RECORD:
/// imported as a test if the matrix has no command. `check` if it installs nothing importable.
Result<std::vector<std::string>> importable_names(const std::filesystem::path& wheel);

}  // namespace pinwheel::host
