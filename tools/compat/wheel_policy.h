#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/expectations.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"
#include "pep/specifier.h"

namespace pinwheel::compat {

/// What a matrix wants of the wheels of one variant: the gate of `build` and of `inspect --matrix`.
struct WheelPolicy {
  inspect::Expectations expected;        ///< names, version and judge of symbols are left open
  std::vector<std::string> rules = {};   ///< that are judged: none that the matrix accepts
  std::vector<std::string> strict = {};  ///< that the matrix names: their warnings fail too
};

/// Device code is judged where the matrix sets `build.arch-list` for a GPU or names the check, size
/// where it is named, the other rules always. `compute` is the variant's: only the architectures of
/// CUDA and ROCm can be read in wheels. Kind `config` for a size that is none.
Result<WheelPolicy> wheel_policy(const matrix::Settings& settings, std::string_view compute = {});

/// The torch that a matrix declares for a variant: the minor release of a C++ ABI, or all from the
/// Stable ABI's target on. nullopt without torch, and for one that is no release ("nightly").
std::optional<pep::SpecifierSet> declared_torch(const matrix::Abi& abi, const std::string& torch);

/// The first check of that name; nullptr when the matrix has none.
const matrix::Check* find_check(const std::vector<matrix::Check>& checks, std::string_view rule);

}  // namespace pinwheel::compat
