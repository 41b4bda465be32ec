#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/outcome.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// Results that are still there, by step id and key of the result.
using Results = std::map<std::pair<std::string, std::string>, StepOutcome>;

/// The parts of a step's key once its needs have ended: what they produced stands in for their own
/// keys, so that a need which ran again and made the same files changes nothing.
KeyParts result_parts(const Step& step, const std::vector<StepOutcome>& needs);

/// The outcomes that stand for steps of the plan before anything has run, by step id, each `reused`
/// with the key of its result. What needs a step that must run is not among them: it is known only
/// when that step has ended.
std::map<std::string, StepOutcome> reuse(const Plan& plan, const Results& results);

/// The outcome that stands for a step whose key is `parts`'s: `reused`, without attempts.
std::optional<StepOutcome> find_result(const Results& results, const std::string& id,
                                       const KeyParts& parts);

}  // namespace pinwheel::plan
