#pragma once
#include <string>
#include <vector>

#include "compat/evaluate.h"
#include "inspect/finding.h"
#include "pep/specifier.h"

namespace pinwheel::compat {

/// Why a wheel does not load on a build: "`at::foo()` is missing (since 2.13.0), and 3 more", or
/// the library that the build lacks. Empty when it loads.
std::string why_not(const BuildVerdict& build, const TorchVerdicts& all);

/// What a demand on torch's releases came to.
struct GateResult {
  /// Rule `undefined-symbols`: one for each build in the range on which the wheel does not load.
  std::vector<inspect::Finding> findings = {};
  size_t judged = 0;  ///< builds in the range
};

/// Judges the builds whose version the clauses admit. A labelled build that lacks a whole library
/// of torch's is of another kind than the wheel (the CPU's for a wheel for CUDA) and left out.
GateResult gate(const TorchVerdicts& torch, const pep::SpecifierSet& range);

}  // namespace pinwheel::compat
