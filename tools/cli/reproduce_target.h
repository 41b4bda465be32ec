#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "plan/origin.h"

namespace pinwheel::cli {

/// What is to be repeated: a step, and what its run was made of where that is on record.
struct ReproduceTarget {
  std::string step;    ///< "build:cpu"
  std::string matrix;  ///< file of this checkout; empty where the origin names one
  std::optional<plan::RunOrigin> origin = std::nullopt;
};

/// Finds it by what the arguments name: a report (a file or an address that holds one) and perhaps
/// which of its failed steps; or an id, whose last failed step the journal knows; without one its
/// build, as this checkout has it. Errors: `usage` for an id or file that is not there, what
/// `report::find_report` and `host::fetch_text` say.
Result<ReproduceTarget> find_target(const GlobalOptions& global,
                                    const std::vector<std::string>& arguments, Streams& streams);

}  // namespace pinwheel::cli
