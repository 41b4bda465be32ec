#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/outcome.h"

namespace pinwheel::plan {

/// `publish.require`: each test must have at least the required evidence, unless its variant was
/// accepted with a reason. Kind `check`, with each test that falls short as a cause.
Done check_evidence(const std::map<std::string, std::string>& required,
                    const std::vector<StepOutcome>& outcomes,
                    const std::map<std::string, std::string>& accepted);

}  // namespace pinwheel::plan
