#include "plan/subplan.h"

#include "unit/catch.h"
#include "unit/plan/plan_example.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

Plan chain() {
  Plan plan;
  plan.steps = {{"env:a", {}, CreateEnvironment{}},
                {"build:cpu", {}, BuildWheel{}, {"env:a"}},
                {"env:b", {}, CreateEnvironment{}},
                {"test:x", {}, TestWheel{}, {"env:b", "build:cpu"}},
                {"test:y", {}, TestWheel{}, {"env:a", "build:cpu"}}};
  return plan;
}

std::vector<std::string> ids(const Plan& plan) {
  std::vector<std::string> out;
  for (const Step& step : plan.steps) out.push_back(step.id);
  return out;
}

std::vector<std::string> ids(const std::vector<matrix::Variant>& variants) {
  std::vector<std::string> out;
  for (const matrix::Variant& variant : variants) out.push_back(variant.id);
  return out;
}

}  // namespace

TEST_CASE("a subplan is steps and their needs, in plan order") {
  CHECK(ids(*subplan(chain(), {"test:x"})) ==
        std::vector<std::string>{"env:a", "build:cpu", "env:b", "test:x"});
  CHECK(ids(*subplan(chain(), {"build:cpu"})) == std::vector<std::string>{"env:a", "build:cpu"});
  CHECK(ids(*subplan(chain(), {"test:y", "env:b"})) ==
        std::vector<std::string>{"env:a", "build:cpu", "env:b", "test:y"});
}

TEST_CASE("the builds that use device code are found without any device code") {
  Plan plan;
  plan.steps = {{"env:a", {}, CreateEnvironment{}},
                {"device:x@8.0", {}, CompileDeviceCode{}, {"env:a"}},
                {"device:x@9.0", {}, CompileDeviceCode{}, {"env:a"}},
                {"build:x", {}, BuildWheel{}, {"env:a", "device:x@8.0", "device:x@9.0"}},
                {"build:y", {}, BuildWheel{}, {"env:a"}}};
  const Plan part = builds_of_device_code(plan, {"device:x@9.0"});
  CHECK(ids(part) == std::vector<std::string>{"env:a", "build:x"});
  CHECK(part.steps.back().needs == std::vector<std::string>{"env:a"});
  CHECK(builds_of_device_code(plan, {"device:x@9.0", "build:x"}).steps.empty());
  CHECK(builds_of_device_code(plan, {}).steps.empty());
}

TEST_CASE("an unknown step is an error with the nearest one") {
  const Result<Plan> part = subplan(chain(), {"test:x", "build:cpi"});
  REQUIRE_FALSE(part);
  CHECK(part.error().kind == ErrorKind::usage);
  CHECK(part.error().hint.find("`build:cpu`") != std::string::npos);
}

TEST_CASE("steps need the variants that they are planned from, and no others") {
  const PlanExample example;
  const Outline outline = example.outline();
  const std::string first = outline.builds.at(0).tests.front();
  const std::string last = outline.variants.back().id;
  const std::string build = "build:" + outline.builds.at(0).cls.id;
  CHECK(ids(variants_of_steps(outline, {build})) == std::vector<std::string>{first});
  CHECK(ids(variants_of_steps(outline, {"sdist"})) == std::vector<std::string>{first});
  CHECK(ids(variants_of_steps(outline, {"test:" + last, build})) ==
        std::vector<std::string>{first, last});
  CHECK(ids(variants_of_steps(outline, {"test:" + last + "@debian-bookworm"})) ==
        std::vector<std::string>{last});
  CHECK(variants_of_steps(outline, {"publish:index", build}).size() == outline.variants.size());
  CHECK(variants_of_steps(outline, {"env:0123"}).size() == outline.variants.size());
  CHECK(variants_of_steps(outline, {"build:other"}).empty());
}

TEST_CASE("a step has the same key in the plan of its variants as in the whole") {
  const PlanExample example;
  const PlanOptions options{Stage::test};
  const Outline outline = example.outline();
  const Result<Plan> whole =
      make_plan(example.matrix, example.expansion, outline, example.facts, options);
  REQUIRE(whole);
  for (const Step& step : whole->steps) {
    const Outline part = make_outline(example.classes, variants_of_steps(outline, {step.id}));
    const Result<Plan> small =
        make_plan(example.matrix, example.expansion, part, example.facts, options);
    REQUIRE(small);
    const Result<Plan> found = subplan(*small, {step.id});
    REQUIRE(found);
    CHECK(found->steps.back().key == step.key);
  }
}
