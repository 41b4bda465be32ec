#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "matrix/ci_settings.h"
#include "matrix/variant.h"
#include "plan/outcome.h"
#include "plan/step.h"

namespace pinwheel::plan {

enum class RunnerUse { build, test };
enum class NeedsGpu { no, yes };

/// The labels of `runs-on` for a build or a test of the variant: the attribute `runner`, else the
/// first rule of `ci.runners` that matches, else its `default` (which is for x86_64), else GitHub's
/// hosted runner of the architecture. nullopt for a test that needs a GPU and that no rule places
/// by its compute: a `default` does not promise a GPU, and no hosted runner has one.
std::optional<std::vector<std::string>> runner_labels(const matrix::CiSettings& ci, RunnerUse use,
                                                      const matrix::Variant& variant, NeedsGpu gpu);

/// The architecture of the runner with these labels if GitHub hosts it, `x86_64` or `aarch64`; else
/// empty. No hosted runner has a GPU.
std::string hosted_arch(const std::vector<std::string>& labels);

/// The command of `ci.driver` for a test of the variant that needs a GPU: that of the first rule
/// that matches, else of `default`. Empty without one, and where `ci.runners` places no GPU.
std::string driver_command(const matrix::CiSettings& ci, const matrix::Variant& variant);

/// A test of a workflow that cannot have the evidence that a publication requires.
struct UnreachableEvidence {
  std::string test;    ///< "test:cp311-cu130"
  std::string wanted;  ///< "ran"
  Evidence most = Evidence::none;
  std::string why = {};  ///< "runner `ubuntu-24.04` has no GPU"
  std::string fix = {};  ///< "name a runner that has one: ..."

  bool operator==(const UnreachableEvidence&) const = default;
};

/// The evidence that the publications of a plan require, and that the runners of its tests cannot
/// provide: a test without a runner, without a command, or on a hosted runner although it needs a
/// GPU to run. `ran` needs a GPU if the matrix says so, and for a CUDA torch, which without one is
/// only loaded. `variants` are those of the whole matrix. In plan order. Pure.
std::vector<UnreachableEvidence> unreachable_evidence(const Plan& plan,
                                                      const std::vector<matrix::Variant>& variants,
                                                      const matrix::CiSettings& ci);

/// One warning for all tests with the same reason. Pure.
std::vector<Error> unreachable_warnings(const std::vector<UnreachableEvidence>& tests);

}  // namespace pinwheel::plan
