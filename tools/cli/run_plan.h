#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/machine/workplace.h"
#include "plan/origin.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "report/report_json.h"

namespace pinwheel::cli {

/// The report of a failed run, beside its logs.
inline constexpr const char* kReportName = "report.json";

/// What one run is about, decided before anything acts.
struct RunRequest {
  plan::Plan plan;
  host::Workplace workplace;
  std::string program_arguments;  ///< "release matrix.yaml", for the line that repeats a step
  /// What the run is made of; asked when a report of it is written.
  std::function<Result<plan::RunOrigin>()> origin = {};
  plan::Results results = {};  ///< what is there already beside what the journal knows
};

/// Carries out a plan for real, journalled, with status and step summary. A run with a failed step
/// leaves its report beside its logs as `report.json`.
Result<report::RunReport> carry_out(const GlobalOptions& global, const RunOptions& options,
                                    const RunRequest& request, Streams& streams);

/// Carries out a plan: real or dry. The exit code is the report's.
Result<int> run_plan(const GlobalOptions& global, const RunOptions& options,
                     const RunRequest& request, Streams& streams);

}  // namespace pinwheel::cli
