#include "compat/judge_on.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "compat/gate.h"

namespace pinwheel::compat {

inspect::SymbolsJudge judge_on(std::shared_ptr<const exports::Table> table, pep::SpecifierSet range,
                               std::function<void(const std::string& text)> report) {
  return [table = std::move(table), range = std::move(range),
          report = std::move(report)](const inspect::WheelFacts& facts) {
    GateResult result = gate(evaluate(facts, *table), range, OtherKinds::none);
    const std::string clauses = quoted("torch" + pep::to_string(range));
    report(result.judged == 0
               ? fmt::format("no known build of {} is for this wheel; not judged", clauses)
               : fmt::format("judged on {} of {}", plural(result.judged, "known build"), clauses));
    return std::move(result.findings);
  };
}

}  // namespace pinwheel::compat
