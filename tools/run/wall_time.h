#pragma once
#include <chrono>
#include <vector>

#include "plan/reuse.h"
#include "plan/step.h"
#include "run/budget.h"
#include "run/simulate.h"

namespace pinwheel::run {

/// The prediction for a whole run.
struct PredictedRun {
  std::chrono::milliseconds makespan{0};
  LeastTime least = {};  ///< what no schedule can beat with as many cores
  int slots = 1;         ///< the cores, or the steps at a time
};

/// The duration of `execute` with this budget if every step takes its predicted time and none
/// fails (run/simulate.h). `results` are reused, and take no time. A step counts as running if one
/// of its needs runs, although with an unchanged product it would not start, so a run takes at most
/// this long.
PredictedRun predict_run(const plan::Plan& plan, const Budget& budget,
                         const plan::Results& results);
/// The same if nothing is reused.
PredictedRun predict_run(const std::vector<plan::TimedStep>& steps, const Budget& budget);

}  // namespace pinwheel::run
