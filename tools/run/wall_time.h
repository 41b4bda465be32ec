#pragma once
#include <chrono>

#include "plan/reuse.h"
#include "plan/step.h"
#include "run/budget.h"

namespace pinwheel::run {

/// How long `execute` takes with this budget when every step takes what is predicted of it and none
/// fails. Pure: the executor itself runs, with steps that do nothing on a clock that jumps to their
/// ends. `results` are reused; a step whose need runs again counts as running, though the same
/// product would start nothing, so this is the most that such a run takes.
std::chrono::milliseconds predicted_wall_time(const plan::Plan& plan, const Budget& budget,
                                              const plan::Results& results);

}  // namespace pinwheel::run
