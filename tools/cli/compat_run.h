#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/streams.h"
#include "compat/evaluate.h"
#include "compat/run_choice.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// The input of `compat --run`.
struct RunJob {
  const CompatOptions& options;
  const std::filesystem::path& wheel;  ///< its path, perhaps without a valid wheel file name
  const inspect::WheelFacts& facts;
  const compat::Companions& companions;
  compat::RunWish wish;
};

struct RunOutcome {
  /// Requested trials that failed (kind `check`) or could not be run (with their own kind).
  std::vector<Error> failures = {};
  int signal = 0;  ///< the signal that stopped it; 0: none
};

/// Tries the wheel with the chosen builds and adds the results to their verdicts; a build that it
/// cannot be tried with is `skipped`.
Result<RunOutcome> run_wheel(const prepare::Host& host, const RunJob& job,
                             compat::TorchVerdicts& torch, Streams& streams);

}  // namespace pinwheel::cli
