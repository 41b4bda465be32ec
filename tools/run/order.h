#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "plan/step.h"

namespace pinwheel::run {

/// A plan's edges, as indexes into `plan.steps`.
struct Graph {
  std::vector<std::vector<size_t>> needs;
  std::vector<std::vector<size_t>> dependents;
  /// Predicted seconds from the start of a step to the end of everything that depends on it: the
  /// longest goes first.
  std::vector<double> remaining;
  /// Needs that are not earlier steps of the plan; empty for a valid plan.
  std::vector<std::string> unknown_needs;
};

Graph make_graph(const plan::Plan& plan);

/// Unique file name stems, one per step, of letters, digits and `._+-`: "build-cp312-cu130".
std::vector<std::string> file_stems(const plan::Plan& plan);

}  // namespace pinwheel::run
