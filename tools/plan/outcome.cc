#include "plan/outcome.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pinwheel::plan {
namespace {

constexpr std::array<std::pair<StepState, std::string_view>, 6> kStates = {
    {{StepState::done, "done"},
     {StepState::failed, "failed"},
     {StepState::blocked, "blocked"},
     {StepState::reused, "reused"},
     {StepState::skipped, "skipped"},
     {StepState::interrupted, "interrupted"}}};

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

/// A step that never got an answer failed like any other; before steps run, that is something that
/// the machine lacks.
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
  for (const StepOutcome& outcome : report.outcomes) {
    const bool bad = outcome.state == StepState::failed || outcome.state == StepState::interrupted;
    if (!bad) continue;
    const ErrorKind fallback =
        outcome.state == StepState::failed ? ErrorKind::step : ErrorKind::interrupted;
    const int code = exit_code_of(outcome.error ? outcome.error->kind : fallback);
    if (worst == 0 || rank(code) < rank(worst)) worst = code;
  }
  return worst;
}

}  // namespace pinwheel::plan
