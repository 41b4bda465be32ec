#include "plan/evidence_gate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kMoreEvidence =
    "run the tests on their hardware, or accept a variant without: `--accept ID=REASON`";
constexpr const char* kMissingResults =
    "run these steps with `--step`, and name the stores that have their results with `--store`";

const StepOutcome* find(const std::vector<StepOutcome>& outcomes, const std::string& id) {
  for (const StepOutcome& outcome : outcomes) {
    if (outcome.id == id) return &outcome;
  }
  return nullptr;
}

/// "`test:x` has evidence `none`, `ran` is required (skipped: no GPU here)".
Error shortfall(const std::string& test, const std::string& wanted, const StepOutcome* outcome) {
  const Evidence has = outcome == nullptr ? Evidence::none : outcome->evidence;
  std::string text = fmt::format("{} has evidence {}, {} is required", quoted(test),
                                 quoted(to_string(has)), quoted(wanted));
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

/// Each test with less than the required evidence whose variant was not accepted with a reason.
/// `config` for an unknown evidence.
Result<std::vector<Error>> evidence_shortfalls(const std::map<std::string, std::string>& required,
                                               const std::vector<StepOutcome>& outcomes,
                                               const std::map<std::string, std::string>& accepted) {
  std::vector<Error> missing;
  for (const auto& [test, wanted] : required) {
    if (is_accepted(test, accepted)) continue;
    const StepOutcome* const outcome = find(outcomes, test);
    const auto least = parse_evidence(wanted);
    if (!least) {
      return fail(ErrorKind::config,
                  fmt::format("`publish.require` has an unknown evidence {}", quoted(wanted)),
                  suggest(wanted, {"ran", "loaded", "inspected", "none"}));
    }
    if (outcome == nullptr || outcome->evidence < *least) {
      missing.push_back(shortfall(test, wanted, outcome));
    }
  }
  return missing;
}

}  // namespace

Done check_evidence(const std::map<std::string, std::string>& required,
                    const std::vector<StepOutcome>& outcomes,
                    const std::map<std::string, std::string>& accepted) {
  TRY(std::vector<Error> missing, evidence_shortfalls(required, outcomes, accepted));
  if (missing.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("nothing was published: {} without the required evidence",
                          plural(missing.size(), "test"))};
  error.causes = std::move(missing);
  return fail(std::move(error).with_hint(kMoreEvidence));
}

Done check_gate(const std::vector<Step>& publications, const std::vector<StepOutcome>& outcomes,
                const std::map<std::string, std::string>& accepted,
                const std::map<std::string, Error>& missing) {
  std::map<std::string, std::string> required;
  for (const Step& step : publications) {
    const auto* const publish = std::get_if<Publish>(&step.action);
    if (publish == nullptr) continue;
    for (const auto& [test, evidence] : publish->require_evidence) {
      if (!missing.contains(test)) required[test] = evidence;
    }
  }
  TRY(std::vector<Error> weak, evidence_shortfalls(required, outcomes, accepted));
  if (missing.empty() && weak.empty()) return {};
  std::vector<std::string> short_of;
  if (!missing.empty()) short_of.push_back(plural(missing.size(), "step") + " without a result");
  if (!weak.empty()) {
    short_of.push_back(plural(weak.size(), "test") + " without the required evidence");
  }
  Error error{ErrorKind::check,
              fmt::format("the release is not complete: {}", join(short_of, ", "))};
  const std::string hint = weak.empty() ? kMissingResults : kMoreEvidence;
  for (const auto& [step, cause] : missing) error.causes.push_back(cause);
  for (Error& cause : weak) error.causes.push_back(std::move(cause));
  return fail(std::move(error).with_hint(hint));
}

}  // namespace pinwheel::plan
