#pragma once
#include <string>

#include "base/result.h"
#include "plan/names.h"
#include "plan/outline.h"
#include "plan/step.h"
#include "plan/step_inputs.h"

namespace pinwheel::plan {

/// The step that publishes the builds of an outline to a target: it needs their tests, including
/// those on distributions, with the evidence that the matrix requires. Builds that serve only
/// experimental variants are withheld. `usage` for an unknown target, `check` if nothing is left.
Result<Step> publish_step(const StepInputs& in, const std::string& target, const Outline& outline,
                          const Namings& namings);

}  // namespace pinwheel::plan
