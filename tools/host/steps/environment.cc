#include "host/steps/environment.h"

#include "env/gpu_packages.h"
#include "host/machine/gpu.h"
#include "host/provision/env_resolve.h"
#include "host/steps/build_site.h"

namespace pinwheel::host {

Result<run::Success> perform_environment(const StepContext& context,
                                         const plan::CreateEnvironment& action) {
  StepContext shown = context;
  shown.machine.output = context.attempt.log;
  TRY(const BaseEnvironment base, test_environment(shown, action.request, action.only_tests));
  return run::Success{};
}

bool loads_only(const StepContext& context, const std::string& compute) {
  return compute.starts_with("cuda/") && !has_hardware(context.machine, compute);
}

Result<BaseEnvironment> test_environment(const StepContext& context, const env::Request& request,
                                         const std::string& compute) {
  if (!loads_only(context, compute)) return base_environment(context, request);
  TRY(env::Resolution resolution, load_resolution(context.machine, env::digest(request)));
  return create_environment(context.machine, request,
                            env::without_gpu_packages(std::move(resolution), request));
}

}  // namespace pinwheel::host
