#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// An environment of a matrix, or a toolkit that PyPI may or conda shall give, and the file that
/// locks it.
struct LockTarget {
  std::string file;                         ///< "pylock.cp311-cpu-torch2_13.toml"
  env::Request request;                     ///< what is resolved; a toolkit's own for a toolkit
  std::vector<std::string> variants = {};   ///< ids of the matrix that use it, in its order
  std::vector<env::Request> toolkits = {};  ///< of an environment: those its builds ask for
  std::vector<env::Request> toolkit_of =
      {};  ///< of a toolkit: the builds that ask for it; none for an environment
};

/// "<matrix file without its ending>.locks", beside it.
std::string lock_directory(const std::string& matrix_file);

/// What there is to lock in a whole matrix. Names follow from the whole matrix too, so a selection
/// never renames a file: an environment is called by the first variant that uses it, with `_` for
/// what the name of a pylock may not hold (dots among it) and `-container`, `-conda` for the levels
/// it has; a toolkit by its name and Python, one from conda by its name and `conda`. Variants that
/// no environment can be made for with these options are left out: a plan that selects one says
/// why.
std::vector<LockTarget> lock_targets(const matrix::Matrix& matrix,
                                     const matrix::Expansion& expansion,
                                     const std::vector<matrix::AbiClass>& classes,
                                     const PlanOptions& options);

/// Those that a plan of the outline needs, the toolkits of its builds among them.
Result<std::vector<LockTarget>> needed_locks(const std::vector<LockTarget>& targets,
                                             const matrix::Matrix& matrix,
                                             const matrix::Expansion& expansion,
                                             const Outline& outline, const PlanOptions& options);

}  // namespace pinwheel::plan
