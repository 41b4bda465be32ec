#pragma once
#include "base/result.h"
#include "env/request.h"
#include "matrix/matrix.h"
#include "matrix/settings.h"
#include "matrix/variant.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// The environment that a variant is tested in, and made in as far as packages go. `config` when
/// the matrix lacks what the levels ask for.
Result<env::Request> base_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                  const matrix::Settings& settings, const PlanOptions& options);

/// The environment that builds a variant: a base environment with the class's toolkit beside it.
Result<env::Request> build_request(const matrix::Matrix& matrix, const matrix::Variant& variant,
                                   const matrix::Settings& settings, const PlanOptions& options);

}  // namespace pinwheel::plan
