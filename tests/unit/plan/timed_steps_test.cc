#include <memory>

#include "base/text.h"
#include "plan/make_plan.h"
#include "unit/catch.h"
#include "unit/plan/plan_example.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

/// A family with two targets, one of which is promoted, and tests on a distribution.
constexpr const char* kManyKindsYaml = R"(
schema: pinwheel/1
package: {name: ops, source: ., sdist: true, requires: {siblings: [data]}}
family:
  - {name: data, source: data, abi: {python: none, compute: none}}
axes: {python: ["3.11", "3.12"], compute: [cpu, cuda/13.0]}
environment: {toolkit: pypi}
overrides:
  - when: {compute: "cuda/*"}
    build: {arch-list: ["8.0", "9.0"], split: architectures}
    test: {hardware: gpu}
checks: {after: [{operators: ["ops::add"]}]}
test: {images: [debian:bookworm], command: [python, -m, pytest]}
channels:
  release: {publish: [own], through: trial}
publish:
  require: ran
  own: {kind: index, url: "https://own.example.org/", label: local}
  trial: {kind: index, url: "https://trial.example.org/", label: local}
)";

/// Several variants with the same settings, Python and architecture.
constexpr const char* kAlikeYaml = R"(
schema: pinwheel/1
package: {name: ops, source: ., sdist: true}
axes: {python: ["3.11", "3.12"], compute: [cpu, cuda/13.0], mode: [a, b, c, d]}
environment: {toolkit: pypi}
build: {command: [python, -m, build]}
overrides:
  - when: {compute: "cuda/*"}
    build: {arch-list: ["8.0", "9.0"]}
    test: {hardware: gpu}
  - when: {mode: c}
    build: {memory-per-job: 2 GB}
checks: {after: [{operators: ["ops::add"]}]}
test: {command: [python, -m, pytest]}
channels:
  release: {publish: [own]}
publish:
  require: ran
  own: {kind: index, url: "https://own.example.org/", label: local}
)";

/// That the steps have what `make_plan` says about their needs, resources and times.
void check_timed(const PlanExample& example, const PlanOptions& options) {
  const Outline outline = example.outline();
  const Result<Plan> plan =
      make_plan(example.matrix, example.expansion, outline, example.facts, options);
  INFO((plan ? std::string() : render(plan.error())));
  REQUIRE(plan);
  const Result<std::vector<TimedStep>> timed =
      make_timed_steps(example.matrix, example.expansion, outline, example.facts, options);
  REQUIRE(timed);
  REQUIRE(timed->size() == plan->steps.size());
  for (size_t i = 0; i < timed->size(); ++i) {
    const Step& step = plan->steps[i];
    const TimedStep& one = timed->at(i);
    INFO(step.id);
    CHECK(one.id == step.id);
    CHECK(one.predicted_seconds == step.predicted_seconds);
    CHECK(one.resources.cores_min == step.resources.cores_min);
    CHECK(one.resources.cores_max == step.resources.cores_max);
    CHECK(one.resources.memory_per_core == step.resources.memory_per_core);
    CHECK(one.resources.pools == step.resources.pools);
    std::vector<std::string> needs;
    for (const size_t need : one.needs) needs.push_back(timed->at(need).id);
    CHECK(needs == step.needs);
  }
}

}  // namespace

TEST_CASE("steps without actions have the needs, resources and times of those with actions") {
  PlanExample example;
  example.facts.source.files = std::make_shared<const SourceFiles>(
      SourceFiles{{}, {{"a.cc", 1000}, {"b.cu", 70000}, {"c.py", 10}}});
  for (const Stage stage : {Stage::build, Stage::test, Stage::publish}) {
    check_timed(example, {stage, {"index"}});
  }
  const std::string split = replace_all(kPlanYaml, "[\"8.0\", \"9.0\"]}",
                                        "[\"8.0\", \"9.0+PTX\"], split: architectures}");
  check_timed(PlanExample(split.c_str()), {Stage::publish, {"index"}});
}

TEST_CASE("so have those of a family, of a promotion and of tests on distributions") {
  const PlanExample example(kManyKindsYaml);
  PlanOptions options{Stage::publish, {"trial", "own"}, container::Engine::docker};
  options.bases = {{"*", "debian:bookworm"}};
  options.through = "trial";
  check_timed(example, options);
  options.engine = container::Engine::host;
  options.bases.clear();
  check_timed(example, options);
}

TEST_CASE("so have those of variants that share the decision about their steps") {
  PlanExample example(kAlikeYaml);
  check_timed(example, {Stage::publish, {"own"}});
  example.facts.source.files =
      std::make_shared<const SourceFiles>(SourceFiles{{}, {{"a.cc", 1000}, {"b.cu", 70000}}});
  PlanOptions options{Stage::test, {"own"}, container::Engine::docker};
  options.bases = {{"cuda/*", "debian:bookworm"}, {"*", "debian:trixie"}};
  check_timed(example, options);
}

TEST_CASE("steps without actions have the errors of a plan") {
  PlanExample example;
  const auto error_of = [&example](const PlanOptions& options) {
    const auto timed = make_timed_steps(example.matrix, example.expansion, example.outline(),
                                        example.facts, options);
    REQUIRE_FALSE(timed);
    return timed.error().message;
  };
  CHECK(error_of({Stage::publish, {"index", "index"}}) ==
        "two steps of the plan are called `publish:index`");
  CHECK(error_of({Stage::publish, {"gone"}}) == "`m.yaml` has no publish target `gone`");
  for (matrix::Variant& variant : example.expansion.variants) {
    variant.status = matrix::Status::experimental;
  }
  CHECK(error_of({Stage::publish, {"index"}}).starts_with("nothing to publish to `index`"));
}
