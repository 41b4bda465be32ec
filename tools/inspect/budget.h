#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// Something that can be removed from a wheel.
struct Cut {
  std::string what;          ///< "debug information", "PTX compute_90", "sm_75"
  uint64_t saves = 0;        ///< bytes of the archive, estimated
  bool costs_users = false;  ///< whether some GPU loses its code

  bool operator==(const Cut&) const = default;
};

/// A plan to reduce a wheel to a size limit.
struct BudgetPlan {
  uint64_t size = 0;
  uint64_t budget = 0;
  std::vector<Cut> cuts = {};  ///< first those without cost to users, then PTX, then old GPUs
  size_t needed = 0;           ///< number of leading cuts that are enough
  bool reached = false;        ///< whether all cuts together are enough
};

/// Savings are the compressed sizes of the parts in this archive: an estimate, because the rest may
/// compress differently without them. The facts must have been gathered with `Measure::packing`.
BudgetPlan plan_budget(const WheelFacts& facts, uint64_t budget);

}  // namespace pinwheel::inspect
