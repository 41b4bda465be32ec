#include <map>

#include "env/request.h"
#include "plan/environments.h"
#include "plan/make_plan.h"
#include "unit/catch.h"
#include "unit/plan/plan_example.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

constexpr const char* kSources = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11", "3.12", "3.13"]
  compute: [cuda/13.0]
abi: {python: version}
environment:
  toolkit: path
  conda: {channels: [conda-forge]}
build:
  command: [python, -m, build, "{package}"]
overrides:
  - when: {python: "3.12"}
    environment: {toolkit: conda}
  - when: {python: "3.13"}
    environment: {toolkit: pypi}
publish:
  index: {kind: directory, path: dist, label: local}
)";

std::string toolkit_of(const Plan& plan, const std::string& build) {
  for (const std::string& need : planned_step(plan, build).needs) {
    if (need.starts_with("toolkit:")) return need;
  }
  return {};
}

}  // namespace

TEST_CASE("builds of one compute each use the toolkit from their own source") {
  PlanExample example(kSources);
  const auto requests = build_requests(example.matrix, example.expansion, example.outline(), {});
  REQUIRE(requests.has_value());
  REQUIRE(requests->size() == 3);
  const auto enter = [&](size_t build, const std::string& exact, ToolkitOrigin origin) {
    example.facts.toolkits[env::toolkit_digest(requests->at(build).request)] = {exact, origin};
  };
  enter(0, "13.0.88", ToolkitOrigin::found);
  enter(1, "cuda-13.0-conda-1", ToolkitOrigin::made);
  enter(2, "cuda-13.0-2", ToolkitOrigin::made);
  const Plan before = example.plan();
  enter(0, "13.0.99", ToolkitOrigin::found);
  const Plan after = example.plan();
  CHECK(planned_step(before, "build:cp311-cu130").key !=
        planned_step(after, "build:cp311-cu130").key);
  CHECK(planned_step(before, "build:cp312-cu130").key ==
        planned_step(after, "build:cp312-cu130").key);
  CHECK(planned_step(before, "build:cp313-cu130").key ==
        planned_step(after, "build:cp313-cu130").key);
}

TEST_CASE(
    "a toolkit that is made is a step with its own key, and one that is found is not a step") {
  PlanExample example(kSources);
  const Plan plan = example.plan();
  CHECK(toolkit_of(plan, "build:cp311-cu130").empty());
  const std::string conda = toolkit_of(plan, "build:cp312-cu130");
  const std::string pypi = toolkit_of(plan, "build:cp313-cu130");
  CHECK(conda.starts_with("toolkit:cuda-13.0-"));
  CHECK(pypi.starts_with("toolkit:cuda-13.0-"));
  CHECK(planned_step(plan, conda).key != planned_step(plan, pypi).key);
}

TEST_CASE("a toolkit from the container is rejected if there is no container") {
  std::string yaml = kSources;
  yaml.replace(yaml.find("toolkit: path"), 13, "toolkit: container");
  const PlanExample example(yaml.c_str());
  const auto refused = requests_of(example.matrix, example.expansion, example.outline(), {});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().hint.find("--engine docker") != std::string::npos);
}
