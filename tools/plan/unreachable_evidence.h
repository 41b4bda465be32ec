#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "matrix/ci_settings.h"
#include "matrix/variant.h"
#include "plan/outcome.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// A test of a workflow that cannot leave the evidence that a publication requires of it.
struct UnreachableEvidence {
  std::string test;    ///< "test:cp311-cu130"
  std::string wanted;  ///< "ran"
  Evidence most = Evidence::none;
  std::string why = {};  ///< "runner `ubuntu-24.04` has no GPU"
  std::string fix = {};  ///< "name a runner that has one: ..."

  bool operator==(const UnreachableEvidence&) const = default;
};

/// What the publications of a plan require, and the runners of its tests cannot give: a test
/// without a runner, without a command, or on a hosted runner where it needs a GPU to run. `ran`
/// needs a GPU if the matrix says so, and for a CUDA torch, which is only loaded without one.
/// `variants` are those of the whole matrix. In plan order. Pure.
std::vector<UnreachableEvidence> unreachable_evidence(const Plan& plan,
                                                      const std::vector<matrix::Variant>& variants,
                                                      const matrix::CiSettings& ci);

/// One warning for all tests with the same reason. Pure.
std::vector<Error> unreachable_warnings(const std::vector<UnreachableEvidence>& tests);

}  // namespace pinwheel::plan
