#pragma once
#include <string>
#include <vector>

#include "matrix/parse.h"
#include "matrix/selection.h"
#include "plan/make_plan.h"
#include "unit/catch.h"

namespace pinwheel::plan {

/// 18 variants in two builds, an sdist and an index.
inline constexpr const char* kPlanYaml = R"(
schema: pinwheel/1
package: {name: demo, source: ., sdist: true, requires: {torch: auto}}
axes:
  python: ["3.11", "3.12", "3.13"]
  compute: [cpu, cuda/13.0, cuda/13.2]
  torch: ["2.10", "2.13"]
abi: {python: none, torch: stable(2.10), compute: major}
environment:
  pip: [build]
  torch: {spec: "torch~={torch}.0"}
build:
  command: [python, -m, build, "{package}"]
overrides:
  - when: {compute: "cuda/*"}
    build: {arch-list: ["8.0", "9.0"]}
channels:
  release: {publish: [index]}
publish:
  require: {default: ran, "cuda/*": loaded}
  index: {kind: directory, path: dist, label: local}
)";

/// A matrix, expanded, and the facts of a machine: the inputs of a plan.
struct PlanExample {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  std::vector<matrix::AbiClass> classes;
  PlanFacts facts;

  explicit PlanExample(const char* yaml = kPlanYaml) {
    Result<matrix::Matrix> parsed = matrix::parse(yaml, "m.yaml");
    INFO((parsed ? std::string() : render(parsed.error())));
    REQUIRE(parsed);
    matrix = *parsed;
    expansion = *matrix::expand(matrix);
    classes = *matrix::abi_classes(matrix, expansion.variants);
    facts.version = {"1.0", ""};
    facts.source.digest = "source";
  }

  Outline outline(const std::vector<std::string>& globs = {}) const {
    matrix::SelectionRequest request;
    request.globs = globs;
    const Result<std::vector<matrix::Variant>> selected =
        matrix::select(matrix, expansion, request);
    REQUIRE(selected);
    return make_outline(classes, *selected);
  }

  Plan plan(const std::vector<std::string>& globs = {}, Stage stage = Stage::test) const {
    const Result<Plan> made =
        make_plan(matrix, expansion, outline(globs), facts, {stage, {"index"}});
    INFO((made ? std::string() : render(made.error())));
    REQUIRE(made);
    return *made;
  }
};

inline const Step& planned_step(const Plan& plan, const std::string& id) {
  for (const Step& step : plan.steps) {
    if (step.id == id) return step;
  }
  FAIL("no step " << id);
  return plan.steps.front();
}

}  // namespace pinwheel::plan
