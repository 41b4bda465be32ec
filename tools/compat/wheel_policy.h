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

/// The requirements of a matrix on the wheels of one variant: the gate of `build` and of `inspect
/// --matrix`.
struct WheelPolicy {
  inspect::Expectations expected;        ///< names, version and judge of symbols are not set
  std::vector<std::string> rules = {};   ///< rules to judge: all except those whose violations the
                                         ///< matrix accepts
  std::vector<std::string> strict = {};  ///< that the matrix names: their warnings fail too
};

/// Device code is judged where the matrix sets `build.arch-list` for a GPU or names the check, size
/// where it is named, the other rules always. `compute` is the variant's: only the architectures of
/// CUDA and ROCm can be read in wheels. Kind `config` for an invalid size.
Result<WheelPolicy> wheel_policy(const matrix::Settings& settings, std::string_view compute = {});

/// The torch that a matrix declares for a variant: the minor release of a C++ ABI, or everything
/// since the Stable ABI's target. nullopt without torch, and for a value that is not a release
/// ("nightly").
std::optional<pep::SpecifierSet> declared_torch(const matrix::Abi& abi, const std::string& torch);

/// The first check of that name; nullptr when the matrix has none.
const matrix::Check* find_check(const std::vector<matrix::Check>& checks, std::string_view rule);

}  // namespace pinwheel::compat
