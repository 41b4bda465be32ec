#pragma once
#include <chrono>

#include "plan/reuse.h"
#include "plan/step.h"
#include "run/budget.h"

namespace pinwheel::run {

/// The duration of `execute` with this budget if every step takes its predicted time and none
/// fails. Pure: it runs the executor on a simulated clock, with steps that only advance it.
/// `results` are reused. A step counts as running if one of its needs runs, although with an
/// unchanged product it would not start, so a run takes at most this long.
std::chrono::milliseconds predicted_wall_time(const plan::Plan& plan, const Budget& budget,
                                              const plan::Results& results);

}  // namespace pinwheel::run
