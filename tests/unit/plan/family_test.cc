#include <algorithm>

#include "plan/frozen.h"
#include "plan/shards.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "unit/catch.h"
#include "unit/plan/plan_example.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

using Texts = std::vector<std::string>;

/// Three packages: `ops` requires `cuda`, and `cuda` requires `data`, whose wheel has no compute.
const std::string kFamilyYaml = R"(
schema: pinwheel/1
package: {name: ops, source: ., sdist: true, requires: {siblings: [cuda]}}
family:
  - {name: cuda, source: cuda, requires: {siblings: [data]}, abi: {python: none}}
  - {name: data, source: data, sdist: true, abi: {python: none, compute: none}}
axes: {python: ["3.11", "3.12"], compute: [cpu, cuda/13.0]}
publish:
  index: {kind: directory, path: dist, label: local}
  pypi: {kind: pypi, default: cpu, others: name-suffix}
)";

PlanExample family_example(const std::string& more = "") {
  PlanExample example((kFamilyYaml + more).c_str());
  example.facts.family["cuda"].source.digest = "cuda source";
  example.facts.family["data"].source.digest = "data source";
  example.facts.family["data"].wheel_source.digest = "data wheel source";
  example.facts.family["data"].wheel_change = {"decaf", 7};
  return example;
}

const auto& build_of(const Plan& plan, const std::string& id) {
  return std::get<BuildWheel>(planned_step(plan, id).action);
}

const auto& publication_of(const Plan& plan, const std::string& target) {
  return std::get<Publish>(planned_step(plan, publish_id(target)).action);
}

Texts builds_of(const Outline& outline) {
  Texts ids;
  for (const BuildGroup& group : outline.builds) ids.push_back(build_id(group.cls.id));
  return ids;
}

Result<Plan> planned(const PlanExample& example, const Texts& targets) {
  return make_plan(example.matrix, example.expansion, example.outline(), example.facts,
                   {Stage::publish, targets});
}

std::map<std::string, std::string> pins_on(const Plan& plan, const std::string& build,
                                           const std::string& target) {
  return name_on(target, build_of(plan, build).namings).pins;
}

using Pins = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("each build has the source, the name and the change of its package") {
  const PlanExample example = family_example();
  const Plan plan = example.plan();
  CHECK(build_of(plan, "build:ops-cp311-cpu").source.digest == "source");
  const BuildWheel& data = build_of(plan, "build:data");
  CHECK(data.source.digest == "data wheel source");
  CHECK(data.source_date_epoch == 7);
  CHECK(data.package_name == "data");
  CHECK(data.tags.python == "py3");
  const auto& sdist = std::get<BuildSdist>(planned_step(plan, "sdist:data").action);
  CHECK(sdist.distribution == "data");
  CHECK(sdist.source.digest == "data source");
  CHECK(std::get<BuildSdist>(planned_step(plan, "sdist").action).distribution == "ops");
}

TEST_CASE("a wheel requires its siblings under their names on each target") {
  const Result<Plan> plan = planned(family_example(), {"index", "pypi"});
  REQUIRE(plan);
  CHECK(pins_on(*plan, "build:ops-cp312-cu130", "index") == Pins{{"cuda", "cuda==1.0+cu130"}});
  CHECK(pins_on(*plan, "build:ops-cp312-cu130", "pypi") == Pins{{"cuda", "cuda-cu130==1.0"}});
  CHECK(pins_on(*plan, "build:cuda-cu130", "index") == Pins{{"data", "data==1.0"}});
  CHECK(pins_on(*plan, "build:cuda-cpu", "pypi") == Pins{{"data", "data==1.0"}});
  CHECK(pins_on(*plan, "build:data", "pypi").empty());
}

TEST_CASE("one wheel cannot require siblings of different names") {
  const PlanExample example(
      "schema: pinwheel/1\n"
      "package: {name: ops, source: ., requires: {siblings: [cuda]}}\n"
      "family: [{name: cuda, source: cuda, abi: {compute: exact}}]\n"
      "axes: {compute: [cpu, cuda/13.0]}\n"
      "abi: {compute: none}\n"
      "publish: {index: {kind: directory, path: dist, label: local}}\n");
  const Result<Plan> plan = planned(example, {"index"});
  REQUIRE_FALSE(plan);
  CHECK(plan.error().kind == ErrorKind::config);
  CHECK(plan.error().message ==
        "the wheel of `build:ops` would require both `cuda==1.0+cpu` and `cuda==1.0+cu130`");
}

TEST_CASE("one file cannot require other siblings on another target") {
  const PlanExample example(
      "schema: pinwheel/1\n"
      "package: {name: ops, source: ., requires: {siblings: [cuda]}}\n"
      "family: [{name: cuda, source: cuda, abi: {compute: exact}}]\n"
      "axes: {compute: [cpu]}\n"
      "abi: {compute: none}\n"
      "publish:\n"
      "  a: {kind: directory, path: a, label: local}\n"
      "  b: {kind: directory, path: b}\n");
  CHECK(planned(example, {"a"}));
  const Result<Plan> plan = planned(example, {"a", "b"});
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message ==
        "the wheel `ops 1.0` would need two requirements: `cuda==1.0+cpu` for target `a` and "
        "`cuda==1.0` for target `b`");
}

TEST_CASE("a test needs the builds of the wheels that it installs") {
  const Plan plan = family_example().plan();
  const Step& test = planned_step(plan, "test:ops-cp312-cu130");
  const auto& action = std::get<TestWheel>(test.action);
  CHECK(action.build == "build:ops-cp312-cu130");
  CHECK(action.siblings == Texts{"build:data", "build:cuda-cu130"});
  for (const std::string& sibling : action.siblings) {
    CHECK(std::ranges::count(test.needs, sibling) == 1);
  }
  CHECK(std::get<TestWheel>(planned_step(plan, "test:data-cp311-cpu").action).siblings.empty());
}

TEST_CASE("a selection also builds what its variants require, and tests only itself") {
  const PlanExample example = family_example();
  const Outline outline = example.outline({"ops-cp312-cu130"});
  CHECK(builds_of(outline) == Texts{"build:ops-cp312-cu130", "build:cuda-cu130", "build:data"});
  const Plan part = example.plan({"ops-cp312-cu130"}, Stage::publish);
  const Plan whole = example.plan({}, Stage::publish);
  for (const Step& step : part.steps) {
    const std::optional<StepKind> kind = kind_of_step(step.id);
    if (kind != StepKind::build && kind != StepKind::test) continue;
    CHECK(planned_step(whole, step.id).key == step.key);
  }
  CHECK(publication_of(part, "index").builds ==
        Texts{"build:ops-cp312-cu130", "build:cuda-cu130", "build:data", "sdist", "sdist:data"});
}

TEST_CASE("a publication tests all wheels that it has") {
  const PlanExample example = family_example();
  const Outline closed = with_tested_siblings(example.outline({"ops-cp312-cu130"}), example.classes,
                                              example.expansion.variants);
  Texts ids;
  for (const matrix::Variant& variant : closed.variants) ids.push_back(variant.id);
  CHECK(ids == Texts{"ops-cp312-cu130", "cuda-cp312-cu130", "data-cp312-cu130"});
  for (const BuildGroup& group : closed.builds) CHECK(group.tests.size() == 1);
  const Outline whole = example.outline();
  CHECK(with_tested_siblings(whole, example.classes, example.expansion.variants).variants.size() ==
        whole.variants.size());
}

TEST_CASE("a shard builds what its tests install") {
  const Outline outline = family_example().outline();
  for (const Outline& part : split_into_shards(outline, 3)) {
    const Texts builds = builds_of(part);
    for (const BuildGroup& group : part.builds) {
      for (const std::string& test : group.tests) {
        for (const std::string& sibling : sibling_builds(group.cls, test)) {
          CHECK(std::ranges::count(builds, sibling) == 1);
        }
      }
    }
  }
}

TEST_CASE("the outline of a step contains it, also if only other packages need its wheel") {
  const PlanExample example = family_example();
  const Outline part = example.outline({"ops-cp312-cu130"});
  for (const char* const step : {"build:data", "build:ops-cp312-cu130", "sdist", "sdist:data"}) {
    INFO(step);
    const Outline small = make_outline(example.classes, variants_of_steps(part, {step}));
    const Result<Plan> plan = make_plan(example.matrix, example.expansion, small, example.facts,
                                        {Stage::build, {"index"}});
    REQUIRE(plan);
    CHECK(subplan(*plan, {step}));
  }
}

TEST_CASE("an index that lists a wheel also lists the wheels that it requires") {
  const Publish index = publication_of(family_example().plan({}, Stage::publish), "index");
  CHECK(index.labels.at("build:data") == "");
  CHECK(index.labels.at("build:cuda-cu130") == "cu130");
  CHECK(index.default_build == "build:ops-cp311-cpu");
  CHECK(index.root_builds == Texts{"build:cuda-cpu", "build:data"});
  CHECK(index.also_listed.at("build:data") == Texts{"cpu", "cu130"});
  CHECK_FALSE(index.also_listed.contains("build:cuda-cu130"));
}

TEST_CASE("an experimental wheel is published if a published one requires it") {
  const Plan plan = family_example("rules: [{when: {compute: cpu}, status: experimental}]\n")
                        .plan({}, Stage::publish);
  const Publish& index = publication_of(plan, "index");
  CHECK(index.withheld == Texts{"build:ops-cp311-cpu", "build:ops-cp312-cpu", "build:cuda-cpu"});
  const Plan data = family_example("rules: [{when: {package: data}, status: experimental}]\n")
                        .plan({}, Stage::publish);
  CHECK(publication_of(data, "index").withheld.empty());
}

TEST_CASE("what only experimental variants require is withheld") {
  // `data` has a build for each Python, and `cuda` one for both.
  PlanExample example((kFamilyYaml + "rules: [{when: {python: \"3.12\"}, status: experimental}]\n")
                          .replace(kFamilyYaml.find("abi: {python: none, compute: none}"), 34,
                                   "abi: {python: version, compute: none}")
                          .c_str());
  const Publish index = publication_of(example.plan({}, Stage::publish), "index");
  CHECK(std::ranges::count(index.withheld, "build:data-cp312") == 1);
  CHECK(std::ranges::count(index.builds, "build:data-cp311") == 1);
  CHECK_FALSE(index.also_listed.contains("build:data-cp312"));
}

TEST_CASE("the digest of the sources covers every package") {
  PlanFacts facts = family_example().facts;
  const std::string before = source_digest(facts);
  facts.family["data"].source.digest = "edited";
  CHECK(source_digest(facts) != before);
  facts.family.clear();
  CHECK(source_digest(facts) == facts.source.digest);
}

TEST_CASE("a frozen plan has the changes of all packages") {
  FrozenPlan frozen;
  frozen.family_changes = {{"data", {"decaf", 7}}};
  const Result<FrozenPlan> read = parse_frozen_plan(to_json(frozen), "p.json");
  REQUIRE(read);
  CHECK(read->family_changes == frozen.family_changes);
  CHECK(to_json(FrozenPlan{}).find("\"family\"") == std::string::npos);
}
