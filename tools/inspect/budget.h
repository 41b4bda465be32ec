#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// Something that can be left out of a wheel.
struct Cut {
  std::string what;          ///< "debug information", "PTX compute_90", "sm_75"
  uint64_t saves = 0;        ///< bytes of the archive, estimated
  bool costs_users = false;  ///< whether somebody's GPU loses its code

  bool operator==(const Cut&) const = default;
};

/// How a wheel comes under a limit.
struct BudgetPlan {
  uint64_t size = 0;
  uint64_t budget = 0;
  std::vector<Cut> cuts = {};  ///< what costs nobody anything first, then PTX, then old GPUs
  size_t needed = 0;           ///< so many cuts of them, from the first on, are enough
  bool reached = false;        ///< whether all of them are enough at all
};

/// Savings are what the archive's streams spend on the parts today: an estimate, for the rest may
/// shrink differently without them. The facts must have been gathered with `Measure::packing`.
BudgetPlan plan_budget(const WheelFacts& facts, uint64_t budget);

}  // namespace pinwheel::inspect
