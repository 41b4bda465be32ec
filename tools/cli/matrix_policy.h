#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/load.h"
#include "compat/wheel_policy.h"
#include "inspect/wheel_facts.h"
#include "pep/specifier.h"

namespace pinwheel::cli {

/// What a matrix wants of one wheel.
struct MatrixPolicy {
  compat::WheelPolicy wheel;
  std::optional<pep::SpecifierSet> torch;  ///< nullopt: no release of torch is declared
};

/// The policy for the variant or build `id`, or without one for the variants that the wheel's own
/// record says it serves. `usage` when neither says, and for an id that the matrix has not.
Result<MatrixPolicy> matrix_policy(const Loaded& loaded, const std::string& id,
                                   const inspect::WheelFacts& facts);

}  // namespace pinwheel::cli
