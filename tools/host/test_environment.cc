#include "host/test_environment.h"

#include "env/gpu_packages.h"
#include "host/build_site.h"
#include "host/env_resolve.h"
#include "host/gpu.h"

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
