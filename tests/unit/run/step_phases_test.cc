#include "run/step_phases.h"

#include "unit/catch.h"
#include "unit/run/execution_world.h"

using namespace pinwheel;
using namespace pinwheel::run;
using test::step;

namespace {

constexpr bool kRemote = true;

std::vector<size_t> all_to_submit(StepPhases& phases) {
  std::vector<size_t> steps;
  while (const std::optional<size_t> step = phases.next_to_submit()) {
    steps.push_back(*step);
    phases.set(*step, Phase::submitted);
  }
  return steps;
}

}  // namespace

TEST_CASE("the phases of steps are known by step and by phase") {
  const Graph graph = make_graph({{step("a"), step("b"), step("c"), step("d")}, {}});
  StepPhases phases(graph, {false, false, false, false});
  CHECK(phases.count(Phase::waiting) == 4);
  phases.set(2, Phase::running);
  phases.set(1, Phase::delayed);
  phases.set(1, Phase::ready);
  CHECK(phases.of(1) == Phase::ready);
  CHECK(phases.in({Phase::running, Phase::ready}) == std::vector<size_t>{1, 2});
  CHECK(phases.in({Phase::waiting, Phase::ready}) == std::vector<size_t>{0, 1, 3});
  CHECK(phases.in({Phase::waiting, Phase::ready}, 2) == std::vector<size_t>{0, 1});
  CHECK(phases.count(Phase::delayed) == 0);
  for (size_t i = 0; i < 4; ++i) phases.set(i, Phase::finished);
  CHECK(phases.all_finished());
  CHECK_FALSE(phases.next_to_submit());
}

TEST_CASE("a step can be submitted when it is ready or all its needs are jobs or have ended") {
  const Graph graph = make_graph({{step("env"), step("build", {"env"}), step("here", {"build"}),
                                   step("test", {"env", "build"}), step("after", {"here", "test"})},
                                  {}});
  StepPhases phases(graph, {kRemote, kRemote, !kRemote, kRemote, kRemote});
  CHECK_FALSE(phases.next_to_submit());
  phases.set(0, Phase::ready);
  CHECK(all_to_submit(phases) == std::vector<size_t>{0, 1, 3});
  CHECK(phases.is_job(3));
  phases.set(0, Phase::running);
  phases.set(0, Phase::finished);
  phases.set(2, Phase::ready);
  phases.set(2, Phase::running);
  CHECK_FALSE(phases.is_job(2));
  CHECK_FALSE(phases.next_to_submit());
  phases.set(2, Phase::finished);
  CHECK(phases.next_to_submit() == 4);
  CHECK_FALSE(phases.next_to_submit());
}

TEST_CASE("a job that is repeated holds what needs it again") {
  const Graph graph = make_graph({{step("build"), step("test", {"build"})}, {}});
  StepPhases phases(graph, {kRemote, kRemote});
  phases.set(0, Phase::ready);
  CHECK(all_to_submit(phases) == std::vector<size_t>{0, 1});
  phases.set(1, Phase::waiting);
  phases.set(0, Phase::delayed);
  CHECK_FALSE(phases.next_to_submit());
  phases.set(0, Phase::ready);
  CHECK(all_to_submit(phases) == std::vector<size_t>{0, 1});
}

TEST_CASE("each step is offered once, however many there are") {
  const size_t count = GENERATE(size_t{100}, size_t{10'000});
  plan::Plan plan{{step("env")}, {}};
  std::vector<std::string> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back("build:" + std::to_string(i));
    plan.steps.push_back(step(all.back(), {"env"}));
  }
  plan.steps.push_back(step("all", all));
  const Graph graph = make_graph(plan);
  StepPhases phases(graph, std::vector<bool>(plan.steps.size(), kRemote));
  phases.set(0, Phase::ready);
  CHECK(all_to_submit(phases).size() == count + 2);
  for (size_t i = 0; i < plan.steps.size(); ++i) phases.set(i, Phase::finished);
  CHECK_FALSE(phases.next_to_submit());
}
