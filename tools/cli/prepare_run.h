#pragma once
#include <vector>

#include "base/result.h"
#include "cli/package_source.h"
#include "cli/packages.h"
#include "cli/prepare_containers.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "host/machine/workplace.h"
#include "plan/make_plan.h"
#include "plan/step.h"

namespace pinwheel::cli {

/// Everything that decides a plan.
struct GatheredRun {
  RunScope scope;
  host::Workplace workplace;
  plan::PlanFacts facts;
  UsedImages images = {};
  std::vector<RecordedResolution> recorded = {};  ///< for `FromRecord`
};

struct PreparedRun {
  GatheredRun gathered;
  plan::Plan plan;
};

/// The pipeline of every command that needs a plan:
///
///     scope -> workplace -> build facts -> backend -> images -> locks or resolutions -> plan
///
/// Each step happens once, in this order; a backend that must be asked (cli/backend_requires.h)
/// has its environment made for that. All but the last have side effects: they read the source,
/// make images and query indexes. The last is pure. Nothing is built. Errors: `drift` if `source`
/// is a frozen plan of a different matrix or source, or if locks are out of date; those of
/// cli/prepare_environments.h.
Result<PreparedRun> prepare_run(const RunScope& scope, const PackageSource& source,
                                Streams& streams);

/// The pipeline without its last step.
Result<GatheredRun> gather_run(const RunScope& scope, const PackageSource& source,
                               Streams& streams);

/// The plan for these facts. Pure. With only a version as facts, the plan has the steps and their
/// needs, but not the keys of a run.
Result<plan::Plan> decide_plan(const RunScope& scope, const plan::PlanFacts& facts);

}  // namespace pinwheel::cli
