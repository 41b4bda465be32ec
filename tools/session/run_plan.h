#pragma once

#include "base/result.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "report/report_json.h"
#include "session/console.h"
#include "session/run_request.h"

namespace pinwheel::session {

/// Executes a plan, with a journal, status lines and a step summary. A run with a failed step
/// writes its report beside its logs as `report.json`. `check` before anything runs if it only
/// reuses, and a result is missing.
Result<report::RunReport> carry_out(const prepare::Host& host, const prepare::GlobalOptions& global,
                                    const prepare::RunOptions& options, const RunRequest& request,
                                    Console& console);

/// Executes a plan, or prints it for a dry run. Returns the report's exit code.
Result<int> run_plan(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const prepare::RunOptions& options, const RunRequest& request,
                     Console& console);

}  // namespace pinwheel::session
