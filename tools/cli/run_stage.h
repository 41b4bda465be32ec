#pragma once
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "plan/make_plan.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// `build`, `test` and `release` up to `stage`: load, gather, decide, run. `command` is the name
/// used in the command line that repeats the run.
Result<int> run_stage(const prepare::Host& host, const prepare::GlobalOptions& global,
                      const prepare::RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams);

}  // namespace pinwheel::cli
