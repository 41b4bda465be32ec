#include "plan/promotion.h"

#include <algorithm>

#include "plan/evidence_gate.h"
#include "plan/known_results.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "unit/plan/plan_example.h"

namespace pinwheel::plan {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kPromotedYaml = R"(
schema: pinwheel/1
package: {name: demo, source: ., sdist: true}
axes:
  python: ["3.10", "3.9", "3.13", "3.13t", "3.14t"]
  compute: [cpu, cuda/13.0]
  torch: ["2.9", "2.13"]
abi: {python: none, torch: none, compute: major}
build:
  command: [python, -m, build, "{package}"]
test: {environment: build}
channels:
  release: {publish: [own, wheels], through: trial}
publish:
  require: {default: ran, "cuda/*": inspected}
  own: {kind: index, url: "https://own.example.org/", label: local}
  wheels: {kind: directory, path: dist, label: local}
  trial: {kind: index, url: "https://trial.example.org/", label: local}
  plain: {kind: index, url: "https://plain.example.org/", name: "{name}-{compute.label}"}
)";

Result<Plan> promoted(const PlanExample& example, const Names& targets) {
  PlanOptions options{Stage::publish, targets};
  options.through = "trial";
  return make_plan(example.matrix, example.expansion, example.outline(), example.facts, options);
}

Plan promoted(const PlanExample& example) {
  const Result<Plan> plan = promoted(example, {"own", "trial", "wheels"});
  INFO((plan ? std::string() : render(plan.error())));
  REQUIRE(plan);
  return *plan;
}

/// The steps of a plan that publish or install, in order.
Names publishing(const Plan& plan) {
  Names ids;
  for (const Step& step : plan.steps) {
    if (publishes(step.id)) ids.push_back(step.id);
  }
  return ids;
}

bool needs(const Step& step, const std::string& id) {
  return std::ranges::find(step.needs, id) != step.needs.end();
}

TEST_CASE("pages that link to a release come after it, whatever the order of the channel") {
  const PlanExample example(R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes: {python: ["3.12"]}
build: {command: [python, -m, build, "{package}"]}
channels:
  release: {publish: [pages, github, own]}
publish:
  pages: {kind: directory, path: site, label: local, files: github}
  github: {kind: github-release, label: local}
  own: {kind: index, url: "https://own.example.org/"}
)");
  CHECK(targets_of(example.matrix, "release", {}) == Names{"github", "own", "pages"});
  CHECK(targets_of(example.matrix, "release", {"pages", "github"}) == Names{"github", "pages"});
}

TEST_CASE("the oldest and the newest Python of each compute are installed, with the newest torch") {
  const PlanExample example(kPromotedYaml);
  const Names chosen = {"cp39-cpu-torch2.13",    "cp39-cu130-torch2.13",  "cp313-cpu-torch2.13",
                        "cp313-cu130-torch2.13", "cp313t-cpu-torch2.13",  "cp313t-cu130-torch2.13",
                        "cp314t-cpu-torch2.13",  "cp314t-cu130-torch2.13"};
  CHECK(install_variants(example.outline()) == chosen);
  // Of a part of the release, those of the part.
  CHECK(install_variants(example.outline({"cp310-cpu-*"})) == Names{"cp310-cpu-torch2.13"});
  Outline outline = example.outline();
  for (matrix::Variant& variant : outline.variants) {
    if (variant.get("compute") != "cpu") variant.status = matrix::Status::experimental;
  }
  CHECK(install_variants(outline).size() == 4);
}

TEST_CASE("a promoted release is published first, then installed, then published elsewhere") {
  const PlanExample example(kPromotedYaml);
  const Plan plan = promoted(example);
  const Names steps = publishing(plan);
  REQUIRE(steps.size() == 11);
  CHECK(steps.front() == "publish:trial");
  CHECK(steps[9] == "publish:own");
  CHECK(steps[10] == "publish:wheels");
  const Step& first = planned_step(plan, "publish:trial");
  CHECK(std::get<Publish>(first.action).role == PublishRole::first);
  CHECK(is_shareable(first));
  const Step& install = planned_step(plan, "install:cp39-cpu-torch2.13");
  const auto& installing = std::get<InstallWheel>(install.action);
  CHECK(needs(install, "publish:trial"));
  CHECK(needs(install, "build:cpu"));
  CHECK(installing.name.version == "1.0+cpu");
  CHECK(installing.target.name == "trial");
  // The packages of the build would hide what the wheel does not require.
  CHECK(installing.environment.requirements.empty());
  CHECK(is_shareable(install));
  for (const char* target : {"publish:own", "publish:wheels"}) {
    const Step& step = planned_step(plan, target);
    const auto& action = std::get<Publish>(step.action);
    CHECK(action.role == PublishRole::promoted);
    CHECK(action.from.name == "trial");
    CHECK(needs(step, "publish:trial"));
    CHECK(std::ranges::count_if(step.needs, [](const std::string& need) {
            return need.starts_with("install");
          }) == 8);
    CHECK(action.require_evidence.at("install:cp39-cpu-torch2.13") == "loaded");
    CHECK(action.require_evidence.at("install:cp39-cu130-torch2.13") == "inspected");
    CHECK_FALSE(is_shareable(step));
  }
  const Result<Plan> alone = subplan(plan, {"publish:wheels"});
  REQUIRE(alone);
  CHECK(publishing(*alone).size() == 10);
}

TEST_CASE("every environment of an installation is requested") {
  const PlanExample example(kPromotedYaml);
  PlanOptions options{Stage::publish, {"trial", "own"}};
  options.through = "trial";
  const auto requests = requests_of(example.matrix, example.expansion, example.outline(), options);
  REQUIRE(requests);
  std::vector<std::string> digests;
  for (const env::Request& request : *requests) digests.push_back(env::digest(request));
  const Plan plan = promoted(example);
  for (const std::string& id : publishing(plan)) {
    const auto* const action = std::get_if<InstallWheel>(&planned_step(plan, id).action);
    if (action == nullptr) continue;
    CHECK(std::ranges::find(digests, env::digest(action->environment)) != digests.end());
  }
}

TEST_CASE("a wheel that has another name on the first target cannot be promoted") {
  const PlanExample example(kPromotedYaml);
  const Result<Plan> plan = promoted(example, {"plain", "trial"});
  REQUIRE_FALSE(plan);
  CHECK(plan.error().kind == ErrorKind::config);
  CHECK(plan.error().message ==
        "the wheel of `build:cpu` is `demo==1.0+cpu` on `trial` and `demo-cpu==1.0` on `plain`, so "
        "it cannot be promoted");
  CHECK(plan.error().at);
}

TEST_CASE("the keys of a release do not depend on the targets that follow the first") {
  const PlanExample example(kPromotedYaml);
  const Plan whole = promoted(example);
  const Result<Plan> part = promoted(example, {"trial", "own"});
  REQUIRE(part);
  for (const char* id : {"publish:trial", "install:cp39-cpu-torch2.13", "publish:own"}) {
    CHECK(planned_step(whole, id).key == planned_step(*part, id).key);
  }
  PlanOptions direct{Stage::publish, {"trial", "own"}};
  const Result<Plan> without =
      make_plan(example.matrix, example.expansion, example.outline(), example.facts, direct);
  REQUIRE(without);
  CHECK(planned_step(whole, "publish:own").key != planned_step(*without, "publish:own").key);
  CHECK(publishing(*without) == Names{"publish:trial", "publish:own"});
}

TEST_CASE("an installation needs no more evidence than it can have") {
  CHECK(evidence_of_installation("ran") == "loaded");
  CHECK(evidence_of_installation("loaded") == "loaded");
  CHECK(evidence_of_installation("inspected") == "inspected");
  CHECK(evidence_of_installation("").empty());
}

}  // namespace
}  // namespace pinwheel::plan
