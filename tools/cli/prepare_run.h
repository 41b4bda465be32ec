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

/// All that decides a plan.
struct GatheredRun {
  RunScope scope;
  host::Workplace workplace;
  plan::PlanFacts facts;
  UsedImages images = {};
  std::vector<RecordedResolution> recorded = {};  ///< of `FromRecord`
};

struct PreparedRun {
  GatheredRun gathered;
  plan::Plan plan;
};

/// The pipeline that every command with a plan goes through:
///
///     scope -> workplace -> build facts -> images -> locks or resolutions -> plan
///
/// The scope is given; what it takes to find the rest is read, made and resolved on the way, each
/// once, and the last arrow is pure. Nothing is built. Errors: `drift` where `source` is a frozen
/// plan of another matrix or source, or locks are out of date; those of cli/prepare_environments.h.
Result<PreparedRun> prepare_run(const RunScope& scope, const PackageSource& source,
                                Streams& streams);

/// The pipeline up to the plan.
Result<GatheredRun> gather_run(const RunScope& scope, const PackageSource& source,
                               Streams& streams);

/// The plan that follows. Pure. With version facts alone it has the shape of the plan, not its
/// keys.
Result<plan::Plan> decide_plan(const RunScope& scope, const plan::PlanFacts& facts);

}  // namespace pinwheel::cli
