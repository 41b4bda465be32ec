#include "run/forecast.h"

#include <fmt/format.h>

#include "base/text.h"
#include "plan/key.h"
#include "plan/known_results.h"
#include "run/reuse.h"

namespace pinwheel::run {
namespace {

/// Why a result with the same key is not valid: a missing or changed file.
std::string lost_output(const plan::StepOutcome& outcome,
                        const std::map<std::string, std::string>& digests) {
  for (const plan::Output& output : outcome.outputs) {
    const auto found = digests.find(output.path);
    if (found == digests.end()) return fmt::format("{} is gone", quoted(output.path));
    if (found->second != output.sha256) return fmt::format("{} was changed", quoted(output.path));
  }
  return {};
}

std::string when_done(const plan::StepOutcome& reused, const History& history) {
  const auto last = history.latest.find(reused.id);
  const bool same = last != history.latest.end() && last->second.outcome.key == reused.key;
  return same ? "done " + last->second.at : "done before";
}

/// Why a step runs although its needs are unchanged.
Forecast why_run(const plan::Step& step, const plan::KeyParts& parts, const History& history,
                 const std::map<std::string, std::string>& digests) {
  Forecast out{step.id};
  if (plan::is_unresolved(step)) {
    out.because = "its packages are not resolved yet";
    return out;
  }
  const std::string key = plan::key_of(parts);
  if (history.unfinished.contains({step.id, key})) {
    out.because = "it was started but never finished";
    return out;
  }
  const auto last = history.latest.find(step.id);
  if (last == history.latest.end()) {
    out.because = "never run";
    return out;
  }
  const plan::StepOutcome& latest = last->second.outcome;
  const auto same = history.finished.find({step.id, key});
  const bool done_below =
      same == history.finished.end() && latest.key == key && latest.state == plan::StepState::done;
  if (done_below) {
    out.because = fmt::format(
        "only a {} run finished it, and a {} run does not reuse those results",
        quoted(store::to_string(last->second.domain)), quoted(store::to_string(history.own)));
    return out;
  }
  const plan::StepOutcome& before = same == history.finished.end() ? latest : same->second;
  if (before.key != key) {
    out.changes = differences(before.parts, parts);
    out.because = before.parts.empty()
                      ? "an older pinwheel recorded it"
                      : plural(out.changes.size(), "change") + " since " + last->second.at;
  } else if (before.state == plan::StepState::skipped) {
    out.because = fmt::format("skipped before: {}", before.reason);
  } else if (before.state != plan::StepState::done) {
    out.because = fmt::format("{} before", plan::to_string(before.state));
  } else {
    out.because = lost_output(before, digests);
  }
  return out;
}

/// The forecast of one step, given the `reused` ones.
Forecast forecast_step(const plan::Step& step,
                       const std::map<std::string, plan::StepOutcome>& reused,
                       const History& history, const std::map<std::string, std::string>& digests) {
  if (const auto stands = reused.find(step.id); stands != reused.end()) {
    return {step.id, Expected::reuse, when_done(stands->second, history)};
  }
  std::vector<plan::StepOutcome> needs;
  std::string waits_for;
  for (const std::string& need : step.needs) {
    const auto found = reused.find(need);
    if (found != reused.end()) needs.push_back(found->second);
    if (found == reused.end() && waits_for.empty()) waits_for = need;
  }
  if (waits_for.empty()) return why_run(step, plan::result_parts(step, needs), history, digests);
  if (!history.latest.contains(step.id)) return {step.id, Expected::run, "never run"};
  return {step.id, Expected::perhaps, fmt::format("{} runs first", quoted(waits_for))};
}

}  // namespace

std::string_view to_string(Expected expected) {
  switch (expected) {
    case Expected::reuse:
      return "reuse";
    case Expected::run:
      return "run";
    case Expected::perhaps:
      return "perhaps";
  }
  return {};
}

std::vector<std::string> differences(const plan::KeyParts& then, const plan::KeyParts& now) {
  std::vector<std::string> out;
  for (const plan::KeyDifference& one : map_differences(then, now)) {
    out.push_back(plan::to_text(one));
  }
  return out;
}

std::vector<Forecast> forecast(const plan::Plan& plan, const History& history,
                               const std::map<std::string, std::string>& digests) {
  const auto reused = plan::reuse(plan, still_valid(results_of(plan, history), digests));
  std::vector<Forecast> out;
  out.reserve(plan.steps.size());
  for (const plan::Step& step : plan.steps) {
    Forecast& one = out.emplace_back(forecast_step(step, reused, history, digests));
    one.seconds = step.predicted_seconds;
    one.p90 = step.predicted_p90;
    one.runs = step.predicted_runs;
    one.prediction = step.prediction;
  }
  return out;
}

}  // namespace pinwheel::run
