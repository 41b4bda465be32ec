#include "host/steps/toolkit.h"

#include <fmt/format.h>

#include "host/provision/toolkit.h"

namespace pinwheel::host {

Result<run::Success> perform_toolkit(const StepContext& context, const plan::MakeToolkit& action) {
  EnvMachine machine = context.machine;
  machine.output = context.attempt.log;
  TRY(const env::Toolkit toolkit, find_toolkit(machine, action.request));
  append_log(context, fmt::format("{} {} in {}\n", toolkit.name, toolkit.release, toolkit.prefix));
  return run::Success{};
}

}  // namespace pinwheel::host
