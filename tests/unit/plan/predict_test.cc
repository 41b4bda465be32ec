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
  const Plan plan = with_durations(guessed_plan(), {{"build:cpu", 45s}, {"test:x", 1500ms}});
  CHECK(seconds_of(plan, "build:cpu") == 45);
  CHECK(seconds_of(plan, "test:x") == 1.5);
  CHECK(plan.steps[1].prediction == Prediction::measured);
  CHECK(plan.steps[3].prediction == Prediction::measured);
}

TEST_CASE("the guess for a build that never ran is scaled by the errors of other builds' guesses") {
  const Plan plan = with_durations(guessed_plan(), {{"build:cpu", 45s}});
  CHECK(seconds_of(plan, "build:cuda") == 120);
  CHECK(plan.steps[2].prediction == Prediction::guessed);
  CHECK(seconds_of(plan, "env:a") == 60);
}

TEST_CASE("without earlier runs, or with those of other plans, guesses are unchanged") {
  for (const Durations& durations : {Durations{}, Durations{{"build:gone", 1s}}}) {
    const Plan plan = with_durations(guessed_plan(), durations);
    CHECK(seconds_of(plan, "build:cpu") == 90);
    CHECK(seconds_of(plan, "build:cuda") == 240);
    CHECK(plan.steps[1].prediction == Prediction::guessed);
  }
}

TEST_CASE("a guess of zero scales nothing") {
  Plan plan;
  plan.steps = {guessed("test:x", 0), guessed("test:y", 30)};
  const Plan known = with_durations(plan, {{"test:x", 5s}});
  CHECK(seconds_of(known, "test:x") == 5);
  CHECK(seconds_of(known, "test:y") == 30);
}
