#include "run/ranks.h"

#include <random>

#include "run/simulate.h"
#include "unit/catch.h"
#include "unit/run/execution_world.h"

using namespace pinwheel;
using namespace pinwheel::run;
using std::chrono::milliseconds;

namespace {

/// Some environments, builds that need one, and tests that need a build.
plan::Plan random_release(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t n) { return random() % n; };
  plan::Plan plan;
  const size_t environments = 3;
  const size_t builds = count / 4;
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::string> needs;
    if (i >= environments + builds) {
      needs = {std::to_string(environments + below(builds))};
    } else if (i >= environments) {
      needs = {std::to_string(below(environments))};
    }
    plan::Step step = test::step(std::to_string(i), std::move(needs));
    step.predicted_seconds = static_cast<double>(10 + below(300));
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

milliseconds makespan(const plan::Plan& plan, const Graph& graph, std::vector<double> ranks) {
  const Budget budget = slots_budget(plan, 6);
  return simulate(plan, graph, {budget, predicted_times(plan), std::move(ranks)}).makespan;
}

}  // namespace

TEST_CASE("ranks of small plans are on average better than the longest path, and never unsound") {
  milliseconds ranked{0};
  milliseconds longest_path{0};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const plan::Plan plan = random_release(seed, 40);
    const Graph graph = make_graph(plan);
    const std::vector<milliseconds> times = predicted_times(plan);
    const milliseconds made =
        makespan(plan, graph, scheduling_ranks(plan, graph, slots_budget(plan, 6), times));
    CHECK(made >= least_time(graph, times, 6).bound);
    ranked += made;
    longest_path += makespan(plan, graph, remaining_paths(graph, predicted_seconds(plan)));
  }
  CHECK(ranked < longest_path);
}

TEST_CASE("the ranks of a large or invalid plan are the longest remaining paths") {
  plan::Plan plan = random_release(1, kMostCompared + 1);
  const Graph graph = make_graph(plan);
  CHECK(scheduling_ranks(plan, graph, {}, predicted_times(plan)) ==
        remaining_paths(graph, predicted_seconds(plan)));
  plan.steps.resize(2);
  plan.steps[0].needs = {"none"};
  const Graph invalid = make_graph(plan);
  CHECK(scheduling_ranks(plan, invalid, {}, predicted_times(plan)).size() == 2);
}

TEST_CASE("ranks do not depend on anything but their arguments") {
  const plan::Plan plan = random_release(2, 60);
  const Graph graph = make_graph(plan);
  const Budget budget = slots_budget(plan, 6);
  const std::vector<milliseconds> times = predicted_times(plan);
  CHECK(scheduling_ranks(plan, graph, budget, times) ==
        scheduling_ranks(plan, graph, budget, times));
}
