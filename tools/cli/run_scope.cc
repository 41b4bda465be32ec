#include "cli/run_scope.h"

#include "cli/levels.h"

namespace pinwheel::cli {

Result<RunScope> up_to(plan::Stage stage, RunScope scope) {
  TRY(scope.options, plan_options(stage, scope.version.targets, scope.levels));
  return scope;
}

}  // namespace pinwheel::cli
