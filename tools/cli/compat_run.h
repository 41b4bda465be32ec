#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/streams.h"
#include "compat/evaluate.h"
#include "compat/run_choice.h"

namespace pinwheel::cli {

/// What `compat --run` works on.
struct RunJob {
  const CompatOptions& options;
  const std::filesystem::path& wheel;  ///< where it lies, perhaps under no name of a wheel
  const inspect::WheelFacts& facts;
  const compat::Beside& beside;
  compat::RunWish wish;
};

struct RunOutcome {
  /// What was asked for and failed (kind `check`) or could not be tried (as it is).
  std::vector<Error> failures = {};
  int signal = 0;  ///< that ended it; 0: none
};

/// Tries the wheel beside the builds that were chosen and enters the results into their verdicts; a
/// build that it cannot be tried beside is `skipped`.
Result<RunOutcome> run_wheel(const RunJob& job, compat::TorchVerdicts& torch, Streams& streams);

}  // namespace pinwheel::cli
