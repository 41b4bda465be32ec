#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/outcome.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// Results that still exist, by step id and key of the result.
using Results = std::map<std::pair<std::string, std::string>, StepOutcome>;

/// The parts of a step's key after its needs have ended: their products replace their keys, so that
/// a need which ran again and made the same files changes nothing.
KeyParts result_parts(const Step& step, const std::vector<StepOutcome>& needs);

/// The outcomes of steps that can be reused before anything has run, by step id, each `reused` with
/// the key of its result. Dependents of a step that must run are not included: their key is known
/// only when that step has ended. The key of a build does not depend on device code compiled for
/// it.
std::map<std::string, StepOutcome> reuse(const Plan& plan, const Results& results);

/// The outcome of a step with the key of `parts`: `reused`, without attempts. A result of a skipped
/// test stays `skipped`.
std::optional<StepOutcome> find_result(const Results& results, const std::string& id,
                                       const KeyParts& parts);

}  // namespace pinwheel::plan
