#include "host/steps/symbols_check.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "compat/gate.h"
#include "compat/wheel_policy.h"
#include "host/torch/torch_exports.h"

namespace pinwheel::host {
namespace {

void say(const Bench& bench, const std::string& text) {
  append_log(bench, fmt::format("undefined-symbols: {}\n", text));
}

}  // namespace

inspect::SymbolsJudge judge_on(std::shared_ptr<const exports::Table> table, pep::SpecifierSet range,
                               std::function<void(const std::string& text)> say) {
  return [table = std::move(table), range = std::move(range),
          say = std::move(say)](const inspect::WheelFacts& facts) {
    compat::GateResult result =
        compat::gate(compat::evaluate(facts, *table), range, compat::OtherKinds::none);
    const std::string clauses = quoted("torch" + pep::to_string(range));
    say(result.judged == 0
            ? fmt::format("no known build of {} is for this wheel; not judged", clauses)
            : fmt::format("judged on {} of {}", plural(result.judged, "known build"), clauses));
    return std::move(result.findings);
  };
}

Result<inspect::SymbolsJudge> symbols_judge(const Bench& bench, const plan::BuildWheel& action) {
  if (action.torch_abi == matrix::TorchAbi::none || action.torch.empty())
    return inspect::SymbolsJudge{};
  matrix::Abi abi;
  abi.torch = action.torch_abi;
  abi.torch_stable = action.torch_target;
  const std::optional<pep::SpecifierSet> range = compat::declared_torch(abi, action.torch);
  if (!range) {
    say(bench, fmt::format("torch {} is no release; not judged", quoted(action.torch)));
    return inspect::SymbolsJudge{};
  }
  const EnvMachine& machine = host_of(bench.machine);
  TRY(exports::Table read, torch_exports(machine.variables, machine.files));
  return judge_on(std::make_shared<const exports::Table>(std::move(read)), *range,
                  [&bench](const std::string& text) { say(bench, text); });
}

}  // namespace pinwheel::host
