#include "prepare/run_scope.h"

#include "prepare/levels.h"

namespace pinwheel::prepare {

Result<RunScope> up_to(plan::Stage stage, RunScope scope) {
  TRY(scope.options, plan_options(stage, scope.version.targets, scope.levels));
  return scope;
}

}  // namespace pinwheel::prepare
