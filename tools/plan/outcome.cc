#include "plan/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace pinwheel::plan {
namespace {

constexpr std::array<std::pair<StepState, std::string_view>, 7> kStates = {
    {{StepState::done, "done"},
     {StepState::failed, "failed"},
     {StepState::blocked, "blocked"},
     {StepState::reused, "reused"},
     {StepState::skipped, "skipped"},
     {StepState::interrupted, "interrupted"},
     {StepState::unfinished, "unfinished"}}};

constexpr std::array<std::pair<Evidence, std::string_view>, 4> kEvidence = {
    {{Evidence::none, "none"},
     {Evidence::inspected, "inspected"},
     {Evidence::loaded, "loaded"},
     {Evidence::ran, "ran"}}};

template <class Table, class Value>
std::string_view name_of(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(),
                      [value](const auto& entry) { return entry.first == value; })
      ->second;
}

/// 1, 5 and 6 describe the result of the work and take precedence over other codes; then the
/// lowest.
std::pair<int, int> rank(int code) {
  const bool of_the_work = code == 1 || code == 5 || code == 6;
  return {of_the_work ? 0 : 1, code};
}

/// The exit code of a step's error. A step that got no response failed like any other; before steps
/// run, the same error means that the machine lacks something.
int exit_code_of(ErrorKind kind) {
  return pinwheel::exit_code(kind == ErrorKind::transient ? ErrorKind::step : kind);
}

}  // namespace

std::string_view to_string(StepState state) {
  return name_of(kStates, state);
}

std::string_view to_string(Evidence evidence) {
  return name_of(kEvidence, evidence);
}

std::optional<StepState> parse_step_state(std::string_view name) {
  for (const auto& [state, text] : kStates) {
    if (text == name) return state;
  }
  return std::nullopt;
}

std::optional<Evidence> parse_evidence(std::string_view name) {
  for (const auto& [evidence, text] : kEvidence) {
    if (text == name) return evidence;
  }
  return std::nullopt;
}

std::string evidence_text(const StepOutcome& outcome) {
  if (outcome.evidence == Evidence::none) return {};
  std::string text(to_string(outcome.evidence));
  if (outcome.environment == "build") text += " in the build's environment";
  return text;
}

int exit_code(const Report& report) {
  if (report.signal != 0) return exit_code_of(kind_of_stop(report.signal));
  int worst = 0;
  bool unfinished = false;
  for (const StepOutcome& outcome : report.outcomes) {
    unfinished = unfinished || outcome.state == StepState::unfinished;
    const bool bad = outcome.state == StepState::failed || outcome.state == StepState::interrupted;
    if (!bad) continue;
    const ErrorKind fallback =
        outcome.state == StepState::failed ? ErrorKind::step : ErrorKind::interrupted;
    const int code = exit_code_of(outcome.error ? outcome.error->kind : fallback);
    if (worst == 0 || rank(code) < rank(worst)) worst = code;
  }
  if (worst == 0 && unfinished) return exit_code_of(ErrorKind::unfinished);
  return worst;
}

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson error_object(const Error& error) {
  OrderedJson json = {{"kind", std::string(to_string(error.kind))}, {"message", error.message}};
  if (error.at) {
    json["at"] = {{"file", error.at->file},
                  {"line", error.at->line},
                  {"column", error.at->column},
                  {"excerpt", error.at->excerpt}};
  }
  if (!error.hint.empty()) json["hint"] = error.hint;
  for (const Error& cause : error.causes) json["causes"].push_back(error_object(cause));
  return json;
}

template <class Enum>
Enum known(std::optional<Enum> value, const std::string& name) {
  if (!value) throw std::invalid_argument(fmt::format("{} is not known", quoted(name)));
  return *value;
}

Error error_from(const nlohmann::json& json) {
  Error error;
  const std::string kind = json.at("kind").get<std::string>();
  error.kind = known(parse_error_kind(kind), kind);
  error.message = json.at("message").get<std::string>();
  error.hint = json.value("hint", "");
  if (const auto at = json.find("at"); at != json.end()) {
    error.at = Location{at->at("file").get<std::string>(), at->value("line", 0),
                        at->value("column", 0), at->value("excerpt", "")};
  }
  if (const auto causes = json.find("causes"); causes != json.end()) {
    for (const nlohmann::json& cause : *causes) error.causes.push_back(error_from(cause));
  }
  return error;
}

StepOutcome outcome_from(const nlohmann::json& json) {
  StepOutcome outcome;
  outcome.id = json.at("id").get<std::string>();
  outcome.key = json.at("key").get<std::string>();
  const std::string state = json.at("state").get<std::string>();
  outcome.state = known(parse_step_state(state), state);
  outcome.attempts = json.value("attempts", 0);
  outcome.elapsed = std::chrono::milliseconds(json.value("elapsed_ms", int64_t{0}));
  outcome.installing = std::chrono::milliseconds(json.value("installing_ms", int64_t{0}));
  if (const auto parts = json.find("parts"); parts != json.end()) {
    outcome.parts = parts->get<std::map<std::string, std::string>>();
  }
  outcome.log = json.value("log", "");
  outcome.reason = json.value("reason", "");
  outcome.environment = json.value("environment", "");
  outcome.needs = json.value("needs", std::vector<std::string>());
  outcome.reused_from = json.value("reused_from", "");
  outcome.span = json.value("span", "");
  if (const auto trace = json.find("trace"); trace != json.end()) {
    for (const nlohmann::json& one : *trace) outcome.trace.push_back(trace_from(one));
  }
  if (const auto axes = json.find("axes"); axes != json.end()) outcome.axes = axes->get<Axes>();
  const std::string evidence = json.value("evidence", "none");
  outcome.evidence = known(parse_evidence(evidence), evidence);
  if (const auto outputs = json.find("outputs"); outputs != json.end()) {
    for (const nlohmann::json& one : *outputs) {
      outcome.outputs.push_back({one.at("path").get<std::string>(),
                                 one.at("sha256").get<std::string>(),
                                 one.at("size").get<uint64_t>()});
    }
  }
  if (const auto derivations = json.find("derivations"); derivations != json.end()) {
    for (const nlohmann::json& one : *derivations) {
      outcome.derivations.push_back(store::derived_from(one));
    }
  }
  if (const auto warnings = json.find("warnings"); warnings != json.end()) {
    outcome.warnings = warnings->get<std::vector<std::string>>();
  }
  if (const auto error = json.find("error"); error != json.end()) {
    outcome.error = error_from(*error);
  }
  return outcome;
}

}  // namespace

std::string outcome_json(const StepOutcome& outcome) {
  OrderedJson json = {{"id", outcome.id},
                      {"key", outcome.key},
                      {"state", std::string(to_string(outcome.state))},
                      {"attempts", outcome.attempts},
                      {"elapsed_ms", outcome.elapsed.count()}};
  if (outcome.installing.count() > 0) json["installing_ms"] = outcome.installing.count();
  if (!outcome.parts.empty()) json["parts"] = outcome.parts;
  if (!outcome.log.empty()) json["log"] = outcome.log;
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  if (outcome.evidence != Evidence::none) {
    json["evidence"] = std::string(to_string(outcome.evidence));
  }
  if (!outcome.environment.empty()) json["environment"] = outcome.environment;
  for (const Output& output : outcome.outputs) {
    json["outputs"].push_back(
        {{"path", output.path}, {"sha256", output.sha256}, {"size", output.size}});
  }
  for (const store::DerivedFile& derived : outcome.derivations) {
    json["derivations"].push_back(store::derived_object(derived));
  }
  if (!outcome.warnings.empty()) json["warnings"] = outcome.warnings;
  if (outcome.error) json["error"] = error_object(*outcome.error);
  if (!outcome.needs.empty()) json["needs"] = outcome.needs;
  if (!outcome.axes.empty()) json["axes"] = outcome.axes;
  if (!outcome.reused_from.empty()) json["reused_from"] = outcome.reused_from;
  if (!outcome.span.empty()) json["span"] = outcome.span;
  for (const AttemptTrace& trace : outcome.trace) json["trace"].push_back(trace_object(trace));
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<StepOutcome> parse_outcome(std::string_view text) {
  try {
    return outcome_from(parse_json(text));
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::config,
                fmt::format("cannot parse the outcome of a step: {}", thrown.what()));
  }
}

}  // namespace pinwheel::plan
