#include "host/steps/symbols_check.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "compat/judge_on.h"
#include "compat/torch_bounds.h"
#include "compat/wheel_policy.h"
#include "host/torch/torch_exports.h"

namespace pinwheel::host {
namespace {

void say(const StepContext& context, const std::string& text) {
  append_log(context, fmt::format("undefined-symbols: {}\n", text));
}

}  // namespace

Result<TorchJudges> torch_judges(const StepContext& context, const plan::BuildWheel& action) {
  if (action.torch_abi == matrix::TorchAbi::none || action.torch.empty()) return TorchJudges{};
  matrix::Abi abi;
  abi.torch = action.torch_abi;
  abi.torch_stable = action.torch_target;
  const std::optional<pep::SpecifierSet> range = compat::declared_torch(abi, action.torch);
  if (!range) {
    say(context, fmt::format("torch {} is not a release; not checked", quoted(action.torch)));
    return TorchJudges{};
  }
  const EnvMachine& machine = host_of(context.machine);
  TRY(exports::Table read, torch_exports(machine.variables, machine.files));
  const auto table = std::make_shared<const exports::Table>(std::move(read));
  return TorchJudges{
      compat::judge_on(table, *range, [&context](const std::string& text) { say(context, text); }),
      compat::judge_torch_bounds(table)};
}

}  // namespace pinwheel::host
