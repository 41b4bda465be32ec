#include "prepare/prepared_run.h"

namespace pinwheel::prepare {

Result<plan::Plan> decide_plan(const RunScope& scope, const plan::PlanFacts& facts) {
  return plan::make_plan(scope.loaded.matrix, scope.loaded.expansion, scope.outline, facts,
                         scope.options);
}

}  // namespace pinwheel::prepare
