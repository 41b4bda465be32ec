#include "run/forecast.h"

#include <fmt/format.h>

#include "run/reuse.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::run;

namespace {

/// env -> build -> test, as from `make_plan`; `version` is in the build's key.
plan::Plan example(const std::string& version = "\"1.0\"") {
  plan::Plan plan;
  plan.steps = {{"env", "", plan::CreateEnvironment{{}, "resolved"}},
                {"build", "", plan::BuildWheel{}, {"env"}},
                {"test", "", plan::TestWheel{}, {"build"}}};
  plan.steps[0].parts = {{"resolution", "r"}};
  plan.steps[1].parts = {{"version", version}, {"source", std::string(64, 'a')}};
  plan.steps[2].parts = {{"command", "[]"}};
  return plan;
}

/// Every step done, the build with a wheel.
History done_before(const plan::Plan& plan) {
  History history;
  std::vector<plan::StepOutcome> needs;
  for (const plan::Step& step : plan.steps) {
    plan::StepOutcome outcome;
    outcome.id = step.id;
    outcome.parts = plan::result_parts(step, needs);
    outcome.key = plan::key_of(outcome.parts);
    if (step.id == "build") outcome.outputs = {{"dist/a.whl", "sha", 3}};
    history.add(Finished{outcome, "2026-01-02T03:04:05Z"});
    needs = {outcome};
  }
  return history;
}

std::string text(const std::vector<Forecast>& steps) {
  std::string out;
  for (const Forecast& step : steps) {
    out += fmt::format("{} {}: {}", step.id, to_string(step.expected), step.because);
    for (const std::string& change : step.changes) out += "; " + change;
    out += "\n";
  }
  return out;
}

const std::map<std::string, std::string> kThere = {{"dist/a.whl", "sha"}};

}  // namespace

TEST_CASE("results that are done and still exist would be reused") {
  const plan::Plan plan = example();
  CHECK(text(forecast(plan, done_before(plan), kThere)) ==
        "env reuse: done 2026-01-02T03:04:05Z\n"
        "build reuse: done 2026-01-02T03:04:05Z\n"
        "test reuse: done 2026-01-02T03:04:05Z\n");
}

TEST_CASE("a forecast has the duration of a step, and whether it was measured") {
  plan::Plan plan = example();
  plan.steps[1].predicted_seconds = 42;
  plan.steps[1].predicted_p90 = 50;
  plan.steps[1].predicted_runs = 3;
  plan.steps[1].prediction = plan::Prediction::measured;
  plan.steps[2].predicted_seconds = 30;
  const std::vector<Forecast> steps = forecast(plan, done_before(plan), {});
  CHECK(steps[1].seconds == 42);
  CHECK(steps[1].p90 == 50);
  CHECK(steps[1].runs == 3);
  CHECK(steps[1].prediction == plan::Prediction::measured);
  CHECK(steps[2].seconds == 30);
  CHECK(steps[2].prediction == plan::Prediction::guessed);
}

TEST_CASE("a plan that never ran is reported as never run") {
  CHECK(text(forecast(example(), {}, {})) ==
        "env run: never run\nbuild run: never run\ntest run: never run\n");
}

TEST_CASE("a lost or changed wheel is named, and its test may be reusable") {
  const plan::Plan plan = example();
  CHECK(text(forecast(plan, done_before(plan), {})) ==
        "env reuse: done 2026-01-02T03:04:05Z\n"
        "build run: `dist/a.whl` is gone\n"
        "test perhaps: `build` runs first\n");
  CHECK(forecast(plan, done_before(plan), {{"dist/a.whl", "other"}})[1].because ==
        "`dist/a.whl` was changed");
}

TEST_CASE("changes of a key are named by part") {
  plan::Plan plan = example("\"1.1\"");
  plan.steps[1].parts["source"] = std::string(64, 'b');
  plan.steps[1].parts["variables.CC"] = "\"gcc\"";
  const Forecast build = forecast(plan, done_before(example()), kThere)[1];
  CHECK(build.expected == Expected::run);
  CHECK(build.because == "3 changes since 2026-01-02T03:04:05Z");
  CHECK(build.changes ==
        std::vector<std::string>{"source changed", "variables.CC is new", "version: 1.0 -> 1.1"});
}

TEST_CASE(
    "failures, skips, unfinished attempts and unresolved environments are named as the reason") {
  const plan::Plan plan = example();
  History history = done_before(plan);
  plan::StepOutcome outcome = history.latest.at("test").outcome;
  outcome.state = plan::StepState::failed;
  history.add(Finished{outcome, "2026-01-03T00:00:00Z"});
  CHECK(forecast(plan, history, kThere)[2].because == "failed before");
  outcome.state = plan::StepState::skipped;
  outcome.reason = "no GPU here";
  history.add(Finished{outcome, "2026-01-03T00:00:00Z"});
  CHECK(forecast(plan, history, kThere)[2].because == "skipped before: no GPU here");
  history.add(Started{"test", outcome.key, 1, "2026-01-03T00:00:00Z"});
  CHECK(forecast(plan, history, kThere)[2].because == "it was started but never finished");
  plan::Plan unresolved = example();
  unresolved.steps[0].action = plan::CreateEnvironment{};
  unresolved.steps[0].parts = {{"resolution", ""}};
  CHECK(forecast(unresolved, history, kThere)[0].because == "its packages are not resolved yet");
}

TEST_CASE("a step with only a result of a lower domain runs again, with the reason") {
  const plan::Plan plan = example();
  const History history = done_before(plan);
  History release{store::Domain::release};
  for (const auto& [step, ended] : history.latest) release.add(ended);
  const Forecast environment = forecast(plan, release, kThere)[0];
  CHECK(environment.expected == Expected::run);
  CHECK(environment.because ==
        "only a `branch` run finished it, and a `release` run does not reuse those results");
  const plan::Plan changed = example("\"1.1\"");
  release.add(Finished{history.latest.at("env").outcome, "", store::Domain::release});
  CHECK(forecast(changed, release, kThere)[1].because == "1 change since 2026-01-02T03:04:05Z");
}

TEST_CASE("results are valid while their outputs exist unchanged") {
  const plan::Plan plan = example();
  const plan::Results results = results_of(plan, done_before(plan));
  REQUIRE(results.size() == 3);
  CHECK(outputs_to_check(plan, results) == std::vector<std::string>{"dist/a.whl"});
  CHECK(still_valid(results, kThere).size() == 3);
  CHECK(still_valid(results, {{"dist/a.whl", "other"}}).size() == 2);
  CHECK(still_valid(results, {}).size() == 2);
}
