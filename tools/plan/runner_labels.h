#pragma once
#include <optional>
#include <string>
#include <vector>

#include "matrix/ci_settings.h"
#include "matrix/variant.h"

namespace pinwheel::plan {

enum class RunnerUse { build, test };
enum class NeedsGpu { no, yes };

/// The labels of `runs-on` for a build or a test of the variant: the attribute `runner`, else the
/// first rule of `ci.runners` that matches, else its `default` (which is for x86_64), else GitHub's
/// hosted runner of the architecture. nullopt for a test that needs a GPU and that no rule places
/// by its compute: a `default` is no promise of a GPU, and no hosted runner has one.
std::optional<std::vector<std::string>> runner_labels(const matrix::CiSettings& ci, RunnerUse use,
                                                      const matrix::Variant& variant, NeedsGpu gpu);

/// The command of `ci.driver` for a test of the variant that needs a GPU: that of the first rule
/// that matches, else of `default`. Empty without one, and where `ci.runners` places no GPU.
std::string driver_command(const matrix::CiSettings& ci, const matrix::Variant& variant);

}  // namespace pinwheel::plan
