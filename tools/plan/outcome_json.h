#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/outcome.h"

namespace pinwheel::plan {

/// An outcome as one JSON object on one line, without a newline; the journal and reports share it.
/// Bytes that are not UTF-8 are replaced.
std::string outcome_json(const StepOutcome& outcome);

/// The inverse of `outcome_json`; unknown members are ignored. `config` for any other text.
Result<StepOutcome> parse_outcome(std::string_view json);

}  // namespace pinwheel::plan
