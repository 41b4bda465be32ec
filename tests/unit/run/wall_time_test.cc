#include "run/wall_time.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::run;
using namespace std::chrono_literals;

namespace {

plan::Step takes(const std::string& id, double seconds, std::vector<std::string> needs = {}) {
  plan::Step step{id, {}, plan::CreateEnvironment{}, std::move(needs)};
  step.parts = {{"id", id}};
  step.predicted_seconds = seconds;
  return step;
}

std::chrono::milliseconds on_cores(const plan::Plan& plan, int cores) {
  Budget budget;
  budget.cores = cores;
  return predict_run(plan, budget, {}).makespan;
}

}  // namespace

TEST_CASE("steps in a chain take the sum of their times") {
  plan::Plan plan;
  plan.steps = {takes("env", 60), takes("build", 90.5, {"env"}), takes("test", 30, {"build"})};
  CHECK(on_cores(plan, 8) == 180500ms);
}

TEST_CASE("steps share the cores, the longest first") {
  plan::Plan plan;
  plan.steps = {takes("a", 10), takes("b", 20), takes("c", 30), takes("d", 7200)};
  CHECK(on_cores(plan, 1) == 7260s);
  CHECK(on_cores(plan, 2) == 7200s);
}

TEST_CASE("steps of a pool of one run one after another, whatever the cores") {
  plan::Plan plan;
  plan.steps = {takes("a", 10), takes("b", 20)};
  for (plan::Step& step : plan.steps) step.resources.pools["install"] = 1;
  CHECK(on_cores(plan, 8) == 30s);
}

TEST_CASE("steps without actions take as long") {
  const plan::Resources alone{1, 1, 0, {{"install", 1}}};
  const std::vector<plan::TimedStep> steps = {{"env", {}, alone, 60},
                                              {"other", {}, alone, 20},
                                              {"build", {0}, {}, 90.5},
                                              {"test", {2, 1}, {}, 30}};
  Budget budget;
  budget.cores = 8;
  CHECK(predict_run(steps, budget).makespan == 180500ms);
  budget.cores = 1;
  CHECK(predict_run(steps, budget).makespan == 200500ms);
  CHECK(predict_run(steps, budget).least.path.steps == std::vector<size_t>{0, 2, 3});
}

TEST_CASE("reused steps take no time") {
  plan::Plan plan;
  plan.steps = {takes("env", 60), takes("build", 90, {"env"}), takes("other", 20)};
  plan::Results results;
  for (const plan::Step& step : {plan.steps[0], plan.steps[2]}) {
    plan::StepOutcome outcome;
    outcome.id = step.id;
    outcome.key = plan::key_of(plan::result_parts(step, {}));
    results[{step.id, outcome.key}] = outcome;
  }
  CHECK(predict_run(plan, {}, results).makespan == 90s);
  CHECK(predict_run({}, {}, results).makespan == 0s);
}
