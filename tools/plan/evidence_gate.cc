#include "plan/evidence_gate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

const StepOutcome* find(const std::vector<StepOutcome>& outcomes, const std::string& id) {
  for (const StepOutcome& outcome : outcomes) {
    if (outcome.id == id) return &outcome;
  }
  return nullptr;
}

/// "`test:x` has evidence `none`, `ran` is required (skipped: no GPU here)".
Error shortfall(const std::string& test, const std::string& wanted, const StepOutcome* outcome) {
  const Evidence has = outcome == nullptr ? Evidence::none : outcome->evidence;
  std::string text =
      fmt::format("`{}` has evidence `{}`, `{}` is required", test, to_string(has), wanted);
  if (outcome != nullptr && !outcome->reason.empty()) {
    text += fmt::format(" ({}: {})", to_string(outcome->state), outcome->reason);
  }
  return {ErrorKind::check, std::move(text)};
}

/// A variant's id covers all its tests; the id of a test on a distribution only that test.
bool is_accepted(const std::string& test, const std::map<std::string, std::string>& accepted) {
  const size_t colon = test.find(':');
  const std::string one = colon == std::string::npos ? test : test.substr(colon + 1);
  return accepted.contains(one) || accepted.contains(variant_of(test));
}

}  // namespace

Done check_evidence(const std::map<std::string, std::string>& required,
                    const std::vector<StepOutcome>& outcomes,
                    const std::map<std::string, std::string>& accepted) {
  std::vector<Error> missing;
  for (const auto& [test, wanted] : required) {
    if (is_accepted(test, accepted)) continue;
    const StepOutcome* const outcome = find(outcomes, test);
    const auto least = parse_evidence(wanted);
    if (!least) {
      return fail(ErrorKind::config,
                  fmt::format("`publish.require` has an unknown evidence `{}`", wanted),
                  suggest(wanted, {"ran", "loaded", "inspected", "none"}));
    }
    if (outcome == nullptr || outcome->evidence < *least) {
      missing.push_back(shortfall(test, wanted, outcome));
    }
  }
  if (missing.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("nothing was published: {} without the required evidence",
                          plural(missing.size(), "test"))};
  error.causes = std::move(missing);
  return fail(std::move(error).with_hint(
      "run the tests on their hardware, or accept a variant without: `--accept ID=REASON`"));
}

}  // namespace pinwheel::plan
