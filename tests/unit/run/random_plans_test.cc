#include <map>
#include <random>
#include <set>

#include "unit/catch.h"
#include "unit/run/execution_world.h"

using namespace pinwheel;
using namespace pinwheel::test;
using plan::StepState;

namespace {

struct Load {
  int cores = 0;
  uint64_t memory = 0;
  int gpus = 0;
};

plan::Plan random_plan(std::mt19937_64& random, fakes::FakeRunner& runner) {
  const auto below = [&](uint64_t n) { return random() % n; };
  plan::Plan plan;
  const size_t count = 1 + below(30);
  for (size_t i = 0; i < count; ++i) {
    plan::Step one = step("s" + std::to_string(i));
    for (size_t j = 0; j < i; ++j) {
      if (below(5) == 0) one.needs.push_back("s" + std::to_string(j));
    }
    one.resources = {1 + static_cast<int>(below(3)), 1 + static_cast<int>(below(8)), below(3)};
    if (below(3) == 0) one.resources.pools["gpu"] = 1;
    one.retry.transient = 2;
    one.predicted_seconds = static_cast<double>(below(10));
    for (size_t n = below(4); n > 0; --n) {
      fakes::Script script{std::chrono::milliseconds(below(5000)), run::Success{}};
      if (below(6) == 0) script.result = fail(ErrorKind::step, "no");
      if (below(4) == 0) script.result = fail(ErrorKind::transient, "later");
      if (below(8) == 0) script.result = fail(ErrorKind::out_of_memory, "big");
      if (below(8) == 0) script.result = run::Success{.skipped = "not here"};
      runner.scripts[one.id].push_back(script);
    }
    plan.steps.push_back(std::move(one));
  }
  return plan;
}

bool has_failed_ancestor(const plan::Plan& plan, const plan::Report& report, size_t i) {
  for (const std::string& need : plan.steps[i].needs) {
    const size_t j = std::stoul(need.substr(1));
    if (report.outcomes[j].state == StepState::failed || has_failed_ancestor(plan, report, j)) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("random plans respect order, budgets and one outcome per step") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    World world;
    const plan::Plan plan = random_plan(random, world.runner);
    run::ExecuteOptions options = cores(4);
    options.budget.memory = 6;
    options.budget.pools["gpu"] = 1;
    options.seed = seed;
    Load load;
    std::map<std::string, run::Attempt> running;
    std::set<std::string> ended;
    bool sound = true;
    world.runner.on_start = [&](const run::Attempt& attempt) {
      const plan::Resources& wanted = attempt.step->resources;
      load.cores += attempt.cores;
      load.memory += wanted.memory_per_core * static_cast<uint64_t>(attempt.cores);
      load.gpus += static_cast<int>(wanted.pools.size());
      sound = sound && load.cores <= 4 && load.memory <= 6 && load.gpus <= 1;
      sound = sound && attempt.cores >= 1 && attempt.cores <= wanted.cores_max;
      sound = sound && running.emplace(attempt.step->id, attempt).second;
      for (const std::string& need : attempt.step->needs) sound = sound && ended.contains(need);
      sound = sound && attempt.needs.size() == attempt.step->needs.size();
    };
    world.runner.on_end = [&](const std::string& id) {
      const run::Attempt& attempt = running.at(id);
      load.cores -= attempt.cores;
      load.memory -= attempt.step->resources.memory_per_core * static_cast<uint64_t>(attempt.cores);
      load.gpus -= static_cast<int>(attempt.step->resources.pools.size());
      running.erase(id);
      ended.insert(id);
    };
    const plan::Report report = world.run(plan, options);
    CHECK(sound);
    REQUIRE(report.outcomes.size() == plan.steps.size());
    CHECK(world.status.finished.size() == plan.steps.size());
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const plan::StepOutcome& one = report.outcomes[i];
      CHECK(one.id == plan.steps[i].id);
      CHECK(world.status.finished[one.id] == 1);
      CHECK((one.state == StepState::blocked) == has_failed_ancestor(plan, report, i));
      CHECK((one.attempts > 0) == (one.state != StepState::blocked));
    }
  }
}
