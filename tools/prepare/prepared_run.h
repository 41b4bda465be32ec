#pragma once
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/make_plan.h"
#include "plan/step.h"
#include "prepare/packages.h"
#include "prepare/prepare_containers.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

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

/// The plan for these facts. Pure. With only a version as facts, the plan has the steps and their
/// needs, but not the keys of a run.
inline Result<plan::Plan> decide_plan(const RunScope& scope, const plan::PlanFacts& facts) {
  return plan::make_plan(scope.loaded.matrix, scope.loaded.expansion, scope.outline, facts,
                         scope.options);
}

}  // namespace pinwheel::prepare
