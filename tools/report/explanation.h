#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"
#include "plan/names.h"
#include "plan/promotion.h"
#include "plan/step.h"

namespace pinwheel::report {

/// The inputs of `explain`, for the whole matrix.
struct Explained {
  const matrix::Matrix& matrix;
  const matrix::Expansion& expansion;
  const std::vector<matrix::AbiClass>& classes;
  const plan::Namings& namings;
  const std::vector<plan::ChannelInstalls>& installs;
};

/// Why a variant is in or out (rules by file:line), its class and the variant that builds it, its
/// environment, commands and wheel names. `id` is a variant id, `test:ID`, `install:ID` of an
/// install test, or `build:CLASS`; any other id is `usage` with the nearest.
Result<std::string> explain(const Explained& known, const std::string& id);

/// The contents of an environment or a toolkit of the plan, and the steps that use it; `usage` with
/// the nearest for any other id.
Result<std::string> explain_environment(const plan::Plan& plan, const std::string& id);

}  // namespace pinwheel::report
