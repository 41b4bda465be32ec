#include "host/steps/test_environment.h"

#include "env/gpu_packages.h"
#include "host/machine/gpu.h"
#include "host/provision/env_resolve.h"
#include "host/steps/build_site.h"

namespace pinwheel::host {

bool loads_only(const Bench& bench, const std::string& compute) {
  return compute.starts_with("cuda/") && find_gpus(bench.machine).names.empty();
}

Result<BaseEnvironment> test_environment(const Bench& bench, const env::Request& request,
                                         const std::string& compute) {
  if (!loads_only(bench, compute)) return base_environment(bench, request);
  TRY(env::Resolution resolution, load_resolution(bench.machine, env::digest(request)));
  return create_environment(bench.machine, request,
                            env::without_gpu_packages(std::move(resolution), request));
}

}  // namespace pinwheel::host
