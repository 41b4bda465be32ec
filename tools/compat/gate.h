#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compat/evaluate.h"
#include "compat/pin.h"
#include "inspect/finding.h"
#include "pep/specifier.h"

namespace pinwheel::compat {

/// What prevents a wheel from loading on a build.
struct Obstacle {
  std::string what = {};  ///< "`at::foo()` is missing (since 2.13.0)", or a missing library
  size_t others = 0;      ///< symbols that are missing, too

  bool operator==(const Obstacle&) const = default;
};
/// Empty when it loads.
Obstacle obstacle_on(const BuildVerdict& build, const TorchVerdicts& all);

/// The same as text: "`at::foo()` is missing (since 2.13.0), and 3 more", or
/// the library that the build lacks. Empty when it loads.
std::string why_not(const BuildVerdict& build, const TorchVerdicts& all);

/// The result of requiring releases of torch.
struct GateResult {
  /// Rule `undefined-symbols`: one finding per build in the range on which the wheel does not load.
  std::vector<inspect::Finding> findings = {};
  size_t judged = 0;  ///< builds in the range
};

/// The builds without a whole torch library that are judged: they may be of another kind than the
/// wheel, such as CPU builds for a CUDA wheel, or CUDA builds for a ROCm wheel.
enum class OtherKinds { plain, none };

/// Judges the builds whose version is in the range; of those of another kind only PyPI's (`plain`),
/// or none.
GateResult gate(const TorchVerdicts& torch, const pep::SpecifierSet& range,
                OtherKinds kinds = OtherKinds::plain);

/// The releases that a build of the matrix must load on: the minor it was built with, or for the
/// Stable ABI everything since its target. nullopt when the text is not a version.
std::optional<pep::SpecifierSet> declared_range(const std::string& version, PinBy by);

}  // namespace pinwheel::compat
