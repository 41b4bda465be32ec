#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "plan/origin.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// The step to repeat, and the origin of its run if recorded.
struct ReproduceTarget {
  std::string step;    ///< "build:cpu"
  std::string matrix;  ///< file of this checkout; empty if the origin has one
  std::optional<plan::RunOrigin> origin = std::nullopt;
};

/// Finds the step from the arguments: a report (a file or a URL) and optionally one of its failed
/// steps; or an id, for its last failed step in the journal, or its build in this checkout if none
/// failed. Errors: `usage` for an id or file that does not exist, and those of
/// `report::find_report` and `host::fetch_text`.
Result<ReproduceTarget> find_target(const prepare::Host& host, const prepare::GlobalOptions& global,
                                    const std::vector<std::string>& arguments, Streams& streams);

}  // namespace pinwheel::cli
