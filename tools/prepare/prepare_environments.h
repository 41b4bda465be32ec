#pragma once
#include <vector>

#include "base/result.h"
#include "ports/notices.h"
#include "prepare/locks.h"
#include "prepare/package_source.h"
#include "prepare/packages.h"
#include "prepare/prepare_containers.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// A run whose images and packages are known.
struct PreparedEnvironments {
  host::Workplace workplace = {};  ///< with the run's containers
  UsedImages images = {};
  plan::PlanFacts facts = {};                     ///< the given ones, with images and packages
  std::vector<RecordedResolution> recorded = {};  ///< for `FromRecord`
  std::vector<LockFile> locks = {};               ///< for `ForLocks`
};

/// Builds the images of a run, then finds its packages according to `source`; packages are resolved
/// inside the images. `run` has neither yet. A signal stops it (prepare/stoppable.h).
Result<PreparedEnvironments> prepare_environments(const RunView& run, const PackageSource& source,
                                                  ports::Notices& notices);

}  // namespace pinwheel::prepare
