#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/step.h"
#include "run/schedule.h"
#include "run/simulate.h"

namespace pinwheel::run {

/// The predicted rest of an execution.
struct Outlook {
  std::chrono::milliseconds left{0};  ///< until the end
  /// How much longer the first step of the path runs than nine of ten runs before; 0: it does not.
  std::chrono::milliseconds overdue{0};
  std::vector<std::string> path = {};  ///< the first steps of the longest chain of the rest
  size_t path_total = 0;               ///< the number of its steps

  bool operator==(const Outlook&) const = default;
};

/// The most steps that `Outlook::path` names.
inline constexpr size_t kMostOnPath = 4;

/// The state of a step in the middle of an execution.
struct StepProgress {
  SimulatedPhase phase = SimulatedPhase::waiting;
  int cores = 1;                         ///< while running
  std::chrono::milliseconds elapsed{0};  ///< while running
};

/// How an execution goes on.
struct Policy {
  Budget budget = {};
  std::vector<double> ranks = {};
};

/// The rest of an execution if the policy stays the same and each step takes its predicted time; a
/// running step that exceeds it takes its 90th percentile, and one that exceeds this is about to
/// end. nullopt if nothing about the remaining steps was ever measured. Pure. `steps`: in plan
/// order.
std::optional<Outlook> look_ahead(const plan::Plan& plan, const Graph& graph, const Policy& policy,
                                  const std::vector<StepProgress>& steps);

}  // namespace pinwheel::run
