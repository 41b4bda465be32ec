#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "compat/wheel_policy.h"
#include "inspect/wheel_facts.h"
#include "pep/specifier.h"
#include "prepare/load.h"

namespace pinwheel::cli {

/// The requirements of a matrix for a wheel.
struct MatrixPolicy {
  compat::WheelPolicy wheel;
  std::optional<pep::SpecifierSet> torch;  ///< nullopt: no release of torch is declared
};

/// The policy for the variant or build `id`, or without one for the variants in the wheel's own
/// record. `usage` if there is neither, and for an id that is not in the matrix.
Result<MatrixPolicy> matrix_policy(const prepare::Loaded& loaded, const std::string& id,
                                   const inspect::WheelFacts& facts);

}  // namespace pinwheel::cli
