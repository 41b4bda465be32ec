#include "plan/evidence_gate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kMoreEvidence =
    "run the tests on their hardware, or accept a variant without: `--accept ID=REASON`";
constexpr const char* kNoCommand =
    "give the matrix a `test.command`, which makes evidence `ran`, or require less: "
    "`publish.require: loaded`";
constexpr const char* kMissingResults =
    "run these steps, or name the stores that have their results with `--store`";

const StepOutcome* find(const std::vector<StepOutcome>& outcomes, const std::string& id) {
  for (const StepOutcome& outcome : outcomes) {
    if (outcome.id == id) return &outcome;
  }
  return nullptr;
}

/// Whether the test did everything that the matrix requests: without a command it only imports.
bool is_over(const StepOutcome* outcome) {
  return outcome != nullptr &&
         (outcome->state == StepState::done || outcome->state == StepState::reused);
}

/// "`test:x` has evidence `none`, `ran` is required (skipped: no GPU here)".
Error shortfall(const std::string& test, const std::string& wanted, const StepOutcome* outcome) {
  const Evidence has = outcome == nullptr ? Evidence::none : outcome->evidence;
  std::string text = fmt::format("{} has evidence {}, {} is required", quoted(test),
                                 quoted(to_string(has)), quoted(wanted));
  if (is_over(outcome)) {
    text += " (the wheel was imported: the matrix has no `test.command`)";
  } else if (outcome != nullptr && !outcome->reason.empty()) {
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

/// The tests with too little evidence, by id.
struct Shortfalls {
  std::map<std::string, Error> tests = {};
  const char* hint = kNoCommand;  ///< a fix for all of them
};

/// Each test with less than the required evidence whose variant was not accepted with a reason.
/// `config` for an unknown evidence.
Result<Shortfalls> evidence_shortfalls(const std::map<std::string, std::string>& required,
                                       const std::vector<StepOutcome>& outcomes,
                                       const std::map<std::string, std::string>& accepted) {
  Shortfalls weak;
  for (const auto& [test, wanted] : required) {
    if (is_accepted(test, accepted)) continue;
    const StepOutcome* const outcome = find(outcomes, test);
    const auto least = parse_evidence(wanted);
    if (!least) {
      return fail(ErrorKind::config,
                  fmt::format("`publish.require` has an unknown evidence {}", quoted(wanted)),
                  suggest(wanted, {"ran", "loaded", "inspected", "none"}));
    }
    if (outcome != nullptr && outcome->evidence >= *least) continue;
    weak.tests.emplace(test, shortfall(test, wanted, outcome));
    if (!is_over(outcome)) weak.hint = kMoreEvidence;
  }
  return weak;
}

void add_causes(const Shortfalls& weak, Error& error) {
  for (const auto& [test, cause] : weak.tests) error.causes.push_back(cause);
}

/// The evidence that publications require of tests, without those in `missing`.
std::map<std::string, std::string> requirements(const std::vector<Step>& publications,
                                                const std::map<std::string, Error>& missing) {
  std::map<std::string, std::string> required;
  for (const Step& step : publications) {
    const auto* const publish = std::get_if<Publish>(&step.action);
    if (publish == nullptr) continue;
    for (const auto& [test, evidence] : publish->require_evidence) {
      if (!missing.contains(test)) required[test] = evidence;
    }
  }
  return required;
}

constexpr std::string_view kGateSchema = "pinwheel-gate/1";

}  // namespace

Done check_evidence(const std::map<std::string, std::string>& required,
                    const std::vector<StepOutcome>& outcomes,
                    const std::map<std::string, std::string>& accepted) {
  TRY(Shortfalls weak, evidence_shortfalls(required, outcomes, accepted));
  if (weak.tests.empty()) return {};
  Error error{ErrorKind::check,
              fmt::format("nothing was published: {} without the required evidence",
                          plural(weak.tests.size(), "test"))};
  add_causes(weak, error);
  return fail(std::move(error).with_hint(weak.hint));
}

std::string evidence_of_installation(const std::string& required) {
  const auto least = parse_evidence(required);
  return least && *least > Evidence::loaded ? std::string(to_string(Evidence::loaded)) : required;
}

Done check_installed(const std::vector<StepOutcome>& outcomes,
                     const std::map<std::string, std::string>& accepted) {
  std::vector<Error> skipped;
  for (const StepOutcome& outcome : outcomes) {
    if (kind_of_step(outcome.id) != StepKind::install) continue;
    if (outcome.evidence >= Evidence::loaded) return {};
    if (is_accepted(outcome.id, accepted)) continue;
    skipped.push_back(
        {ErrorKind::check, fmt::format("{} did not run: {}", quoted(outcome.id), outcome.reason)});
  }
  if (skipped.empty()) return {};
  Error error{ErrorKind::check, "nothing was promoted: no wheel could be installed here"};
  error.causes = std::move(skipped);
  return fail(std::move(error).with_hint(
      "run the release where one of them can be installed, or accept a variant without its install "
      "test: `--accept ID=REASON`"));
}

Done check_gate(const std::vector<Step>& publications, const std::vector<StepOutcome>& outcomes,
                const std::map<std::string, std::string>& accepted,
                const std::map<std::string, Error>& missing) {
  TRY(Shortfalls weak,
      evidence_shortfalls(requirements(publications, missing), outcomes, accepted));
  if (missing.empty() && weak.tests.empty()) return {};
  std::vector<std::string> short_of;
  if (!missing.empty()) short_of.push_back(plural(missing.size(), "step") + " without a result");
  if (!weak.tests.empty()) {
    short_of.push_back(plural(weak.tests.size(), "test") + " without the required evidence");
  }
  Error error{ErrorKind::check,
              fmt::format("the release is not complete: {}", join(short_of, ", "))};
  const std::string hint = weak.tests.empty() ? kMissingResults : weak.hint;
  for (const auto& [step, cause] : missing) error.causes.push_back(cause);
  add_causes(weak, error);
  return fail(std::move(error).with_hint(hint));
}

Result<std::map<std::string, std::string>> weak_tests(
    const std::vector<Step>& publications, const std::vector<StepOutcome>& outcomes,
    const std::map<std::string, std::string>& accepted) {
  TRY(const Shortfalls weak,
      evidence_shortfalls(requirements(publications, {}), outcomes, accepted));
  std::map<std::string, std::string> reasons;
  for (const auto& [test, error] : weak.tests) reasons.emplace(test, error.message);
  return reasons;
}

std::string gate_json(const std::map<std::string, std::string>& weak) {
  const nlohmann::ordered_json json = {{"schema", std::string(kGateSchema)}, {"weak", weak}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::map<std::string, std::string> parse_gate(std::string_view text) {
  const nlohmann::json json = read_json(text);
  try {
    if (json.at("schema").get<std::string>() != kGateSchema) return {};
    return json.at("weak").get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace pinwheel::plan
