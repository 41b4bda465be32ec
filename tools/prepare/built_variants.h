#pragma once
#include <vector>

#include "base/result.h"
#include "matrix/variant.h"
#include "plan/outline.h"
#include "prepare/load.h"

namespace pinwheel::prepare {

/// The variants in whose environments the builds of an outline are made, in matrix order. Nothing
/// is built for the others, so whatever is about builds is asked of these alone. They belong to
/// `loaded`.
Result<std::vector<const matrix::Variant*>> built_variants(const Loaded& loaded,
                                                           const plan::Outline& outline);

}  // namespace pinwheel::prepare
