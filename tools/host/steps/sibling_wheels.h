#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/action.h"
#include "plan/outcome.h"

namespace pinwheel::host {

/// The wheels that a test installs together.
struct TestedWheels {
  std::filesystem::path wheel;
  std::vector<std::filesystem::path> siblings = {};  ///< that it requires

  /// All of them, the tested one first.
  std::vector<std::filesystem::path> all() const;
};

/// The first wheel of the tested build, because all its names have the same code, and the wheels of
/// the siblings that it requires, among the outcomes of the test's needs; nullopt if the tested
/// build has none. Kind `usage` if a sibling is not built, `check` if its wheels are not those that
/// are required.
Result<std::optional<TestedWheels>> find_wheels(const std::vector<plan::StepOutcome>& needs,
                                                const plan::TestWheel& action);

}  // namespace pinwheel::host
