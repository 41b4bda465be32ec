#pragma once
#include <vector>

#include "base/result.h"
#include "cli/locks.h"
#include "cli/package_source.h"
#include "cli/packages.h"
#include "cli/prepare_containers.h"
#include "cli/run_scope.h"
#include "cli/streams.h"

namespace pinwheel::cli {

/// A run whose images and packages are known.
struct PreparedEnvironments {
  host::Workplace workplace = {};  ///< with the run's containers
  UsedImages images = {};
  plan::PlanFacts facts = {};                     ///< the given ones, with images and packages
  std::vector<RecordedResolution> recorded = {};  ///< for `FromRecord`
  std::vector<LockFile> locks = {};               ///< for `ForLocks`
};

/// Builds the images of a run, then finds its packages according to `source`; packages are resolved
/// inside the images. `run` has neither yet. A signal stops it (cli/stoppable.h).
Result<PreparedEnvironments> prepare_environments(const RunView& run, const PackageSource& source,
                                                  Streams& streams);

}  // namespace pinwheel::cli
