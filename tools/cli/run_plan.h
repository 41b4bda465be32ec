#pragma once
#include "base/result.h"
#include "cli/gather.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "plan/make_plan.h"

namespace pinwheel::cli {

/// What one run is about, decided before anything acts.
struct RunRequest {
  plan::Plan plan;
  host::Workplace workplace;
  std::string program_arguments;  ///< "release matrix.yaml", for the line that repeats a step
};

/// Carries out a plan: real or dry, journalled, with status and summary. The exit code is the
/// report's.
Result<int> run_plan(const GlobalOptions& global, const RunOptions& options,
                     const RunRequest& request, Streams& streams);

/// `build`, `test` and `release` up to `stage`: load, gather, decide, run.
Result<int> run_stage(const GlobalOptions& global, const RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams);

}  // namespace pinwheel::cli
