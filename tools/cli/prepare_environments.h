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

/// What the environments of a run are made of.
struct PreparedEnvironments {
  host::Workplace workplace = {};  ///< with the run's containers
  UsedImages images = {};
  plan::PlanFacts facts = {};                     ///< those given, with images and packages
  std::vector<RecordedResolution> recorded = {};  ///< of `FromRecord`
  std::vector<LockFile> locks = {};               ///< of `ForLocks`
};

/// Makes the images of a run and finds its packages where `source` says, in that order: what is in
/// an image decides what is resolved in it. `run` knows no container and no package yet. Stops when
/// a signal comes (cli/stoppable.h).
Result<PreparedEnvironments> prepare_environments(const RunView& run, const PackageSource& source,
                                                  Streams& streams);

}  // namespace pinwheel::cli
