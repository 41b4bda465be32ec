#include "plan/predict.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;
using namespace std::chrono_literals;

namespace {

Step guessed(const std::string& id, double seconds) {
  Step step{id, {}, CreateEnvironment{}};
  step.predicted_seconds = seconds;
  return step;
}

Plan guessed_plan() {
  Plan plan;
  plan.steps = {guessed("env:a", 60), guessed("build:cpu", 90), guessed("build:cuda", 240),
                guessed("test:x", 30), guessed("sdist", 30)};
  return plan;
}

double seconds_of(const Plan& plan, const std::string& id) {
  for (const Step& step : plan.steps) {
    if (step.id == id) return step.predicted_seconds;
  }
  return -1;
}

}  // namespace

TEST_CASE("a step that ran before takes as long again") {
  const Plan plan = with_durations(guessed_plan(), {{{"build:cpu", {45s}}, {"test:x", {1500ms}}}});
  CHECK(seconds_of(plan, "build:cpu") == 45);
  CHECK(seconds_of(plan, "test:x") == 1.5);
  CHECK(plan.steps[1].prediction == Prediction::measured);
  CHECK(plan.steps[3].prediction == Prediction::measured);
}

TEST_CASE("the guess for a build that never ran is scaled by the errors of other builds' guesses") {
  const Plan plan = with_durations(guessed_plan(), {{{"build:cpu", {45s}}}});
  CHECK(seconds_of(plan, "build:cuda") == 120);
  CHECK(plan.steps[2].prediction == Prediction::scaled);
  CHECK(plan.steps[2].predicted_p90 == 120);
  CHECK(plan.steps[0].prediction == Prediction::guessed);
  CHECK(plan.steps[0].predicted_p90 == 0);
  CHECK(seconds_of(plan, "env:a") == 60);
}

TEST_CASE("without earlier runs, or with those of other plans, guesses are unchanged") {
  for (const Durations& durations : {Durations{}, Durations{{{"build:gone", {1s}}}}}) {
    const Plan plan = with_durations(guessed_plan(), durations);
    CHECK(seconds_of(plan, "build:cpu") == 90);
    CHECK(seconds_of(plan, "build:cuda") == 240);
    CHECK(plan.steps[1].prediction == Prediction::guessed);
  }
}

TEST_CASE("a guess of zero scales nothing") {
  Plan plan;
  plan.steps = {guessed("test:x", 0), guessed("test:y", 30)};
  const Plan known = with_durations(plan, {{{"test:x", {5s}}}});
  CHECK(seconds_of(known, "test:x") == 5);
  CHECK(seconds_of(known, "test:y") == 30);
}

TEST_CASE("the spread is the middle and the 90th percentile of the last durations") {
  CHECK(spread_of({3s}) == Spread{3, 3});
  CHECK(spread_of({4s, 1s}) == Spread{2.5, 4});
  CHECK(spread_of({10s, 1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s}) == Spread{5.5, 9});
  Samples samples;
  for (int i = 1; i <= 12; ++i) add_sample(samples, std::chrono::seconds(i));
  CHECK(samples.size() == kMostSamples);
  CHECK(spread_of(samples) == Spread{7.5, 11});
  const Plan plan = with_durations(guessed_plan(), {{{"build:cpu", {10s, 20s, 60s}}}});
  CHECK(plan.steps[1].predicted_seconds == 20);
  CHECK(plan.steps[1].predicted_p90 == 60);
  CHECK(plan.steps[1].predicted_runs == 3);
  // The builds took 20/90 of their guess in the middle, and at most 60/90.
  CHECK(plan.steps[2].predicted_p90 == 160);
  CHECK(plan.steps[2].predicted_runs == 3);
}

TEST_CASE("a step that never ran takes as long as the steps of its kind") {
  Plan plan = guessed_plan();
  for (Step& step : plan.steps) step.parts = {{"compute", "\"cpu\""}, {"version", "\"1.0\""}};
  plan.steps[2].parts["compute"] = "\"cuda/13.0\"";
  const KeyParts earlier = {{"compute", "\"cuda/13.0\""}, {"version", "\"0.9\""}};
  Durations durations;
  durations.kinds[prediction_kind("build:gone", earlier)] = {100s, 300s};
  const Plan known = with_durations(plan, durations);
  CHECK(seconds_of(known, "build:cuda") == 200);
  CHECK(known.steps[2].predicted_p90 == 300);
  CHECK(known.steps[2].prediction == Prediction::similar);
  CHECK(seconds_of(known, "build:cpu") == 90);
  CHECK(prediction_kind("test:x", earlier) != prediction_kind("build:x", earlier));
  CHECK(prediction_kind("build:gone", {}).empty());
}

TEST_CASE("the guess for a build counts its sources, and device code for each architecture") {
  BuildWheel action;
  action.compute = "cuda/13.0";
  action.settings.build.arch_list = {"9.0", "10.0"};
  CHECK(guess_build(action) == 120);
  const auto with_files = [&action](SourceFiles files) {
    action.source.files = std::make_shared<const SourceFiles>(std::move(files));
    return guess_build(action);
  };
  CHECK(with_files({{}, {{"a.py", 900}, {"a.h", 900}}}) == 60);
  CHECK(with_files({{}, {{"a.cu", 0}, {"b.cc", 0}}}) == 60 + 2 * 6 + 3);
  CHECK(with_files({{}, {{"a.cu", 32768}}}) == 60 + 2 * 6 * 2);
  action.compute = "cpu";
  CHECK(with_files({{}, {{"a.cu", 0}, {"b.cc", 0}}}) == 60 + 3);
}
