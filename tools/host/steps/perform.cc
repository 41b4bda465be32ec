#include "host/steps/perform.h"

#include <fstream>
#include <utility>

#include "host/steps/build.h"
#include "host/steps/environment.h"
#include "host/steps/publish.h"
#include "host/steps/sdist.h"
#include "host/steps/step_context.h"
#include "host/steps/test.h"
#include "host/steps/toolkit.h"

namespace pinwheel::host {
namespace {

struct PerformAction {
  const StepContext& context;

  Result<run::Success> operator()(const plan::CreateEnvironment& action) const {
    return perform_environment(context, action);
  }
  Result<run::Success> operator()(const plan::MakeToolkit& action) const {
    return perform_toolkit(context, action);
  }
  Result<run::Success> operator()(const plan::BuildWheel& action) const {
    return perform_build(context, action);
  }
  Result<run::Success> operator()(const plan::BuildSdist& action) const {
    return perform_sdist(context, action);
  }
  Result<run::Success> operator()(const plan::TestWheel& action) const {
    return perform_test(context, action);
  }
  Result<run::Success> operator()(const plan::Publish& action) const {
    return perform_publish(context, action);
  }
};

}  // namespace

Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop) {
  // Outcomes refer to the log even if nothing is written to it.
  std::ofstream(attempt.log, std::ios::app).close();
  TRY(const std::unique_ptr<OpenStep> step, open_step(workplace, attempt, std::move(stop)));
  const StepContext context = step->context();
  return std::visit(PerformAction{context}, attempt.step->action);
}

}  // namespace pinwheel::host
