#include <fmt/format.h>

#include "host/provision/toolkit.h"
#include "host/steps/perform.h"
#include "host/steps/test_environment.h"

namespace pinwheel::host {

Result<run::Success> perform_environment(const Bench& bench,
                                         const plan::CreateEnvironment& action) {
  TRY(const BaseEnvironment base, test_environment(bench, action.request, action.only_tests));
  return run::Success{};
}

Result<run::Success> perform_toolkit(const Bench& bench, const plan::MakeToolkit& action) {
  TRY(const env::Toolkit toolkit, find_toolkit(bench.machine, action.request));
  append_log(bench, fmt::format("{} {} in {}\n", toolkit.name, toolkit.release, toolkit.prefix));
  return run::Success{};
}

}  // namespace pinwheel::host
