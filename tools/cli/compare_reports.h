#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// Whether `report` compares: two runs are named, and nothing asks to merge them. `usage` for
/// options of a comparison without one.
Result<bool> is_run_comparison(const ReportOptions& options);

/// `report A B`: what run B does that run A did not.
Result<int> compare_reports(const prepare::Host& host, const prepare::GlobalOptions& global,
                            const ReportOptions& options, Streams& streams);

}  // namespace pinwheel::cli
