#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "plan/make_plan.h"

namespace pinwheel::plan {

/// An environment of a matrix, or a toolkit that may come from PyPI or comes from conda, and the
/// file that locks it.
struct LockTarget {
  std::string file;                         ///< "pylock.cp311-cpu-torch2_13.toml"
  env::Request request;                     ///< to resolve; for a toolkit, its own request
  std::vector<std::string> variants = {};   ///< ids of the matrix that use it, in its order
  std::vector<env::Request> toolkits = {};  ///< of an environment: toolkits of its builds
  std::vector<env::Request> toolkit_of =
      {};  ///< of a toolkit: the builds that use it; none for an environment
};

/// "<matrix file without its extension>.locks", next to it.
std::string lock_directory(const std::string& matrix_file);

/// The lock targets of a whole matrix. Names depend on the whole matrix too, so a selection never
/// renames a file: an environment is named after the first variant that uses it, with `_` for
/// characters that the name of a pylock must not contain (including dots), plus `-container` and
/// `-conda` for its levels; a toolkit after its name and Python, one from conda after its name plus
/// `conda`. Variants whose environment these options do not allow are omitted: a plan that selects
/// one reports why.
std::vector<LockTarget> lock_targets(const matrix::Matrix& matrix,
                                     const matrix::Expansion& expansion,
                                     const std::vector<matrix::AbiClass>& classes,
                                     const PlanOptions& options);

/// The targets that a plan of the outline needs, including the toolkits of its builds.
Result<std::vector<LockTarget>> needed_locks(const std::vector<LockTarget>& targets,
                                             const matrix::Matrix& matrix,
                                             const matrix::Expansion& expansion,
                                             const Outline& outline, const PlanOptions& options);

}  // namespace pinwheel::plan
