#include "run/schedule.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::run;

namespace {

using Indexes = std::vector<size_t>;

Indexes list_of(const StepLists& lists, size_t step) {
  return {lists[step].begin(), lists[step].end()};
}

plan::Step step_with(const std::string& id, std::vector<std::string> needs) {
  plan::Step step{id, {}, {}};
  step.needs = std::move(needs);
  return step;
}

}  // namespace

TEST_CASE("a graph has the needs of each step, and its dependents in plan order") {
  const plan::Plan plan{
      {step_with("env", {}), step_with("build", {"env"}),
       step_with("test", {"env", "build", "gone"}), step_with("publish", {"build", "test"})},
      {}};
  const Graph graph = make_graph(plan);
  REQUIRE(graph.needs.size() == 4);
  CHECK(list_of(graph.needs, 0).empty());
  CHECK(list_of(graph.needs, 2) == Indexes{0, 1});
  CHECK(list_of(graph.needs, 3) == Indexes{1, 2});
  CHECK(list_of(graph.dependents, 0) == Indexes{1, 2});
  CHECK(list_of(graph.dependents, 1) == Indexes{2, 3});
  CHECK(list_of(graph.dependents, 2) == Indexes{3});
  CHECK(list_of(graph.dependents, 3).empty());
  CHECK(graph.unknown_needs == std::vector<std::string>{"gone"});
  CHECK(graph.position.at("publish") == 3);
}
