#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compat/evaluate.h"
#include "compat/pin.h"
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

/// Which builds that lack a whole library of torch's are judged: they may be of another kind than
/// the wheel, the CPU's for a wheel for CUDA, CUDA's for one for ROCm.
enum class OtherKinds { plain, none };

/// Judges the builds whose version the clauses admit; of those of another kind PyPI's (`plain`), or
/// none.
GateResult gate(const TorchVerdicts& torch, const pep::SpecifierSet& range,
                OtherKinds kinds = OtherKinds::plain);

/// The releases that a build of the matrix must load on: the minor that it was built with, for the
/// Stable ABI everything from its target on. nullopt when the text is no version.
std::optional<pep::SpecifierSet> declared_range(const std::string& version, PinBy by);

}  // namespace pinwheel::compat
