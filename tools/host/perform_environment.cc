#include "env/request.h"
#include "host/env_resolve.h"
#include "host/perform.h"
#include "host/python_environments.h"

namespace pinwheel::host {

Result<run::Success> perform_environment(const Bench& bench,
                                         const plan::CreateEnvironment& action) {
  TRY(const env::Resolution resolution,
      load_resolution(bench.machine, env::digest(action.request)));
  TRY(const BaseEnvironment base, create_environment(bench.machine, action.request, resolution));
  return run::Success{};
}

}  // namespace pinwheel::host
