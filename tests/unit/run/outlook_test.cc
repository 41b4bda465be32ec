#include "run/outlook.h"

#include "unit/catch.h"
#include "unit/run/execution_world.h"

using namespace pinwheel;
using namespace pinwheel::run;
using namespace std::chrono_literals;

namespace {

plan::Step measured_step(const std::string& id, double p50, double p90,
                         std::vector<std::string> needs = {}) {
  plan::Step step = test::step(id, std::move(needs));
  step.predicted_seconds = p50;
  step.predicted_p90 = p90;
  step.prediction = plan::Prediction::measured;
  return step;
}

plan::Plan measured_plan() {
  plan::Plan plan;
  plan.steps = {measured_step("env", 10, 12), measured_step("build", 60, 80, {"env"}),
                measured_step("test", 5, 6, {"build"}), measured_step("other", 30, 40)};
  return plan;
}

constexpr SimulatedPhase kRuns = SimulatedPhase::running;
constexpr SimulatedPhase kEnded = SimulatedPhase::ended;

std::optional<Outlook> outlook_of(const plan::Plan& plan, std::vector<StepProgress> steps) {
  steps.resize(plan.steps.size());
  const Graph graph = make_graph(plan);
  Policy policy;
  policy.budget.cores = 2;
  policy.ranks = remaining_paths(graph, predicted_seconds(plan));
  return look_ahead(plan, graph, policy, steps);
}

}  // namespace

TEST_CASE("the rest of a run is simulated from the elapsed times of its running steps") {
  const plan::Plan plan = measured_plan();
  CHECK(outlook_of(plan, {}) == Outlook{75s, 0s, {"env", "build", "test"}, 3});
  CHECK(outlook_of(plan, {{kEnded}, {kRuns, 1, 20s}, {}, {kRuns, 1, 1s}}) ==
        Outlook{45s, 0s, {"build", "test"}, 2});
  CHECK(outlook_of(plan, {{kEnded}, {kEnded}, {kEnded}, {kRuns, 2, 1s}}) ==
        Outlook{29s, 0s, {"other"}, 1});
}

TEST_CASE("a step beyond its usual time is expected at its 90th percentile, then it is overdue") {
  const plan::Plan plan = measured_plan();
  CHECK(outlook_of(plan, {{kEnded}, {kRuns, 1, 70s}, {}, {kEnded}}) ==
        Outlook{15s, 0s, {"build", "test"}, 2});
  CHECK(outlook_of(plan, {{kEnded}, {kRuns, 1, 90s}, {}, {kEnded}}) ==
        Outlook{5001ms, 10s, {"build", "test"}, 2});
}

TEST_CASE("without a measured step there is no outlook") {
  plan::Plan plan = measured_plan();
  for (plan::Step& step : plan.steps) step.prediction = plan::Prediction::guessed;
  CHECK_FALSE(outlook_of(plan, {}));
  plan.steps[2].prediction = plan::Prediction::scaled;
  CHECK(outlook_of(plan, {}));
  CHECK_FALSE(outlook_of(plan, {{kEnded}, {kEnded}, {kEnded}, {kRuns, 1, 1s}}));
}

TEST_CASE("only the first steps of a long path are named") {
  plan::Plan plan;
  for (int i = 0; i < 9; ++i) {
    std::vector<std::string> needs;
    if (i > 0) needs = {"s" + std::to_string(i - 1)};
    plan.steps.push_back(measured_step("s" + std::to_string(i), 1, 1, std::move(needs)));
  }
  const std::optional<Outlook> outlook = outlook_of(plan, {});
  REQUIRE(outlook);
  CHECK(outlook->path == std::vector<std::string>{"s0", "s1", "s2", "s3"});
  CHECK(outlook->path_total == 9);
  CHECK(outlook->left == 9s);
}
