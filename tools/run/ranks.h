#pragma once
#include <chrono>
#include <vector>

#include "plan/step.h"
#include "run/budget.h"
#include "run/schedule.h"

namespace pinwheel::run {

// Ranks
//
// The step with the longest remaining path goes first: a rule that is hard to beat while the
// durations are uncertain, but that does not see that many short paths can take longer together
// than a long one. So a small plan is also scheduled backward from its end, and the order in which
// its steps start in that schedule becomes an order forward (justification, known from project
// scheduling: Li and Willis 1992, Valls et al. 2005). Predictions are wrong by some 25%, and an
// order that is tuned to them loses more than it gains. So each order is simulated with the
// predictions and with several random errors of that size, and the one that is shortest on average
// is used; with equal times, the longest path.

/// The largest plan for which orders are compared.
inline constexpr size_t kMostCompared = 300;

/// The ranks with which the steps of a plan start (`ReadySteps`), if each takes as long as `lasts`
/// states. Pure.
std::vector<double> scheduling_ranks(const plan::Plan& plan, const Graph& graph,
                                     const Budget& budget,
                                     const std::vector<std::chrono::milliseconds>& lasts);
std::vector<double> scheduling_ranks(const WantedResources& wanted, const Graph& graph,
                                     const Budget& budget,
                                     const std::vector<std::chrono::milliseconds>& lasts);

}  // namespace pinwheel::run
