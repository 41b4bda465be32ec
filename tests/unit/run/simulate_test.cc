#include "run/simulate.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "run/ranks.h"
#include "unit/catch.h"
#include "unit/run/execution_world.h"

using namespace pinwheel;
using namespace pinwheel::run;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

/// A plan with random resources, its predictions, and times that differ from them.
struct RandomCase {
  plan::Plan plan;
  Budget budget;
  std::vector<milliseconds> lasts;
};

RandomCase random_case(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t n) { return random() % n; };
  RandomCase out;
  out.budget.cores = 1 + static_cast<int>(below(6));
  if (below(2) == 0) out.budget.memory = 4 + below(8);
  if (below(3) == 0) out.budget.cores_per_step = 1 + static_cast<int>(below(3));
  out.budget.pools = {{"gpu", 1 + static_cast<int>(below(2))}};
  const size_t count = 1 + below(40);
  for (size_t i = 0; i < count; ++i) {
    plan::Step one = test::step("s" + std::to_string(i));
    for (size_t j = i < 12 ? 0 : i - 12; j < i; ++j) {
      if (below(6) == 0) one.needs.push_back("s" + std::to_string(j));
    }
    one.resources = {1 + static_cast<int>(below(3)), 1 + static_cast<int>(below(8)), below(3)};
    if (below(4) == 0) one.resources.pools["gpu"] = 1;
    one.predicted_seconds = static_cast<double>(below(60));
    out.plan.steps.push_back(std::move(one));
    out.lasts.emplace_back(below(60000));
  }
  return out;
}

Assumptions assumptions_of(const RandomCase& given, std::vector<double> ranks) {
  Assumptions assumed{given.budget, given.lasts};
  assumed.ranks = std::move(ranks);
  return assumed;
}

/// The ranks of the executor, which simulates a plan dozens of times to choose them.
std::vector<double> executors_ranks(const RandomCase& given, const Graph& graph) {
  return scheduling_ranks(given.plan, graph, given.budget, predicted_times(given.plan));
}

/// What is in use after the events at one time.
struct Used {
  int cores = 0;
  int64_t memory = 0;
  int gpus = 0;
};

/// Whether the budget is kept at all times.
bool keeps_budget(const RandomCase& given, const Simulation& simulation) {
  std::map<milliseconds, Used> changes;
  for (size_t i = 0; i < simulation.steps.size(); ++i) {
    const SimulatedStep& step = simulation.steps[i];
    const plan::Resources& wanted = given.plan.steps[i].resources;
    const auto share = wanted.memory_per_core * static_cast<uint64_t>(step.cores);
    const uint64_t most = given.budget.memory == 0 ? share : given.budget.memory;
    const auto memory = static_cast<int64_t>(std::min(share, most));
    const int gpus = static_cast<int>(wanted.pools.size());
    for (const auto& [at, sign] : {std::pair(step.start, 1), std::pair(step.end, -1)}) {
      changes[at].cores += sign * step.cores;
      changes[at].memory += sign * memory;
      changes[at].gpus += sign * gpus;
    }
    const int allowed = std::min(wanted.cores_max, given.budget.cores_per_step);
    if (step.cores < 1 || step.cores > allowed) return false;
  }
  Used used;
  for (const auto& [at, change] : changes) {
    used.cores += change.cores;
    used.memory += change.memory;
    used.gpus += change.gpus;
    const bool memory_kept =
        given.budget.memory == 0 || used.memory <= static_cast<int64_t>(given.budget.memory);
    if (used.cores > given.budget.cores || !memory_kept) return false;
    if (used.gpus > given.budget.pools.at("gpu")) return false;
  }
  return used.cores == 0 && used.memory == 0 && used.gpus == 0;
}

plan::Step lasting(const std::string& id, double seconds, std::vector<std::string> needs = {}) {
  plan::Step step = test::step(id, std::move(needs));
  step.predicted_seconds = seconds;
  return step;
}

}  // namespace

TEST_CASE("random simulations keep order, budgets and bounds, and run each step once") {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    const RandomCase given = random_case(seed);
    const Graph graph = make_graph(given.plan);
    // What is checked holds for any ranks.
    const std::vector<double> ranks = remaining_paths(graph, predicted_seconds(given.plan));
    const Simulation simulation = simulate(given.plan, graph, assumptions_of(given, ranks));
    REQUIRE(simulation.steps.size() == given.plan.steps.size());
    milliseconds last{0};
    bool ordered = true;
    for (size_t i = 0; i < simulation.steps.size(); ++i) {
      const SimulatedStep& step = simulation.steps[i];
      last = std::max(last, step.end);
      ordered = ordered && step.end - step.start == given.lasts[i] && step.start >= 0ms;
      for (const size_t need : graph.needs[i]) {
        ordered = ordered && simulation.steps[need].end <= step.start;
      }
    }
    CHECK(ordered);
    CHECK(keeps_budget(given, simulation));
    CHECK(simulation.makespan == last);
    const LeastTime least = least_time(graph, given.lasts, given.budget.cores);
    CHECK(least.path.length <= simulation.makespan);
    CHECK(least.bound <= simulation.makespan);
    milliseconds along{0};
    for (const size_t step : least.path.steps) along += given.lasts[step];
    CHECK(along == least.path.length);
  }
}

TEST_CASE("a simulation starts and ends each step when the executor does") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const RandomCase given = random_case(seed);
    const Graph graph = make_graph(given.plan);
    test::World world;
    for (size_t i = 0; i < given.lasts.size(); ++i) {
      world.runner.scripts[given.plan.steps[i].id] = {{given.lasts[i], Success{}}};
    }
    const auto begun = world.clock.steady();
    ExecuteOptions options;
    options.budget = given.budget;
    const plan::Report report = world.run(given.plan, options);
    const Simulation simulation =
        simulate(given.plan, graph, assumptions_of(given, executors_ranks(given, graph)));
    CHECK(report.elapsed == simulation.makespan);
    REQUIRE(world.runner.started.size() == simulation.steps.size());
    for (size_t k = 0; k < world.runner.started.size(); ++k) {
      const size_t i = graph.position.at(world.runner.started_ids[k]);
      const auto start = world.runner.started_at[k] - begun;
      CHECK(start == simulation.steps[i].start);
      CHECK(world.runner.started[k].cores == simulation.steps[i].cores);
    }
  }
}

TEST_CASE("a simulation goes on from the middle of a run") {
  plan::Plan plan;
  plan.steps = {lasting("env", 10), lasting("build", 60, {"env"}), lasting("other", 20),
                lasting("test", 5, {"build"})};
  const Graph graph = make_graph(plan);
  Budget budget;
  budget.cores = 1;
  Assumptions assumed{budget, {10s, 40s, 20s, 5s}};
  assumed.ranks = remaining_paths(graph, predicted_seconds(plan));
  assumed.started.resize(plan.steps.size());
  assumed.started[0].phase = SimulatedPhase::ended;
  assumed.started[1].phase = SimulatedPhase::running;
  const Simulation simulation = simulate(plan, graph, assumed);
  CHECK(simulation.steps[0] == SimulatedStep{});
  CHECK(simulation.steps[1] == SimulatedStep{0s, 40s, 1});
  CHECK(simulation.steps[2] == SimulatedStep{40s, 60s, 1});
  CHECK(simulation.steps[3] == SimulatedStep{60s, 65s, 1});
  CHECK(simulation.makespan == 65s);
}

TEST_CASE("the critical path is the longest chain, and no schedule beats it or the work per slot") {
  plan::Plan plan;
  plan.steps = {lasting("env", 10), lasting("a", 30, {"env"}), lasting("b", 60, {"env"}),
                lasting("none", 0, {"b"}), lasting("test", 5, {"none", "a"})};
  const Graph graph = make_graph(plan);
  const LeastTime two = least_time(graph, predicted_times(plan), 2);
  CHECK(two.path.steps == std::vector<size_t>{0, 2, 4});
  CHECK(two.path.length == 75s);
  CHECK(two.work == 105s);
  CHECK(two.bound == 75s);
  const LeastTime one = least_time(graph, predicted_times(plan), 1);
  CHECK(one.bound == 105s);
  CHECK(least_time(make_graph({}), {}, 3).bound == 0ms);
}

TEST_CASE("on slots each step takes one, whatever its resources") {
  plan::Plan plan;
  plan.steps = {lasting("a", 10), lasting("b", 10), lasting("c", 10)};
  for (plan::Step& step : plan.steps) {
    step.resources = {4, 1 << 16, uint64_t{1} << 40U, {{"gpu", 1}}};
  }
  const Graph graph = make_graph(plan);
  Assumptions assumed{slots_budget(plan, 3), predicted_times(plan)};
  assumed.ranks = remaining_paths(graph, predicted_seconds(plan));
  CHECK(simulate(plan, graph, assumed).makespan == 10s);
  assumed.budget = slots_budget(plan, 2);
  CHECK(simulate(plan, graph, assumed).makespan == 20s);
}

TEST_CASE("ten thousand steps are simulated") {
  plan::Plan plan;
  for (int i = 0; i < 10000; ++i) {
    std::vector<std::string> needs;
    if (i >= 100) needs = {"s" + std::to_string(i % 100)};
    plan.steps.push_back(lasting("s" + std::to_string(i), 1 + i % 7, std::move(needs)));
  }
  const Graph graph = make_graph(plan);
  Assumptions assumed{slots_budget(plan, 12), predicted_times(plan)};
  assumed.ranks = remaining_paths(graph, predicted_seconds(plan));
  const milliseconds makespan = simulate(plan, graph, assumed).makespan;
  const LeastTime least = least_time(graph, predicted_times(plan), 12);
  CHECK(makespan >= least.bound);
  CHECK(makespan <= least.bound + 7s);
}
