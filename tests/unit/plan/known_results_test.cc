#include "plan/known_results.h"

#include "unit/catch.h"
#include "unit/plan/plan_example.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

using StepIds = std::vector<std::string>;

StepIds step_ids(const Plan& plan) {
  StepIds out;
  for (const Step& step : plan.steps) out.push_back(step.id);
  return out;
}

StepIds step_ids(const std::vector<SearchableStep>& steps) {
  StepIds out;
  for (const SearchableStep& open : steps) out.push_back(open.step->id);
  return out;
}

/// Keys and parts as in `make_plan`.
Step made_step(std::string id, Action action, StepIds needs = {}) {
  Step step{std::move(id), {}, std::move(action), std::move(needs)};
  step.parts = {{"id", step.id}};
  step.key = key_of(step.parts);
  return step;
}

Plan planned_release() {
  Plan plan;
  plan.digest = "digest";
  plan.steps = {made_step("env:a", CreateEnvironment{}),
                made_step("toolkit:cuda", MakeToolkit{}),
                made_step("build:x", BuildWheel{}, {"env:a", "toolkit:cuda"}),
                made_step("sdist", BuildSdist{}, {"env:a"}),
                made_step("env:b", CreateEnvironment{}),
                made_step("test:x", TestWheel{}, {"env:b", "build:x"}),
                made_step("publish:index", Publish{}, {"build:x", "test:x", "sdist"})};
  return plan;
}

StepOutcome known_result(const SearchableStep& open) {
  StepOutcome outcome;
  outcome.id = open.step->id;
  outcome.key = open.key;
  outcome.parts = open.parts;
  outcome.outputs = {{"dist/" + open.step->id, std::string(64, 'a'), 1}};
  return outcome;
}

void add_known(Results& results, const SearchableStep& open) {
  results[{open.step->id, open.key}] = known_result(open);
}

/// The results of the steps that are open now.
Results all_opened(const Plan& plan, Results results) {
  for (const SearchableStep& open : searchable_steps(plan, results)) add_known(results, open);
  return results;
}

}  // namespace

TEST_CASE("a key is known before anything runs if every need is an environment or has a result") {
  const Plan plan = planned_release();
  const std::vector<SearchableStep> first = searchable_steps(plan, {});
  CHECK(step_ids(first) == StepIds{"build:x", "sdist"});
  CHECK(first[1].parts == with_needs(plan.steps[3].parts, {{"env:a", plan.steps[0].key}}));
  const Results builds = all_opened(plan, {});
  CHECK(step_ids(searchable_steps(plan, builds)) == StepIds{"test:x"});
  // A publication is never looked up.
  CHECK(searchable_steps(plan, all_opened(plan, builds)).empty());
}

TEST_CASE("a known key is the one that a run has when the needs have ended") {
  const Plan plan = planned_release();
  const Results results = all_opened(plan, {});
  StepOutcome environment;
  environment.id = "env:b";
  environment.key = plan.steps[4].key;
  const StepOutcome build = results.begin()->second;
  REQUIRE(build.id == "build:x");
  CHECK(searchable_steps(plan, results).at(0).key ==
        key_of(result_parts(plan.steps[5], {environment, build})));
}

TEST_CASE(
    "environments that only known steps need are not made, and the keys of these steps stay the "
    "same") {
  const Plan plan = planned_release();
  CHECK(step_ids(without_idle(plan, {})) == step_ids(plan));
  const Results builds = all_opened(plan, {});
  const Plan rest = without_idle(plan, builds);
  CHECK(step_ids(rest) == StepIds{"build:x", "sdist", "env:b", "test:x", "publish:index"});
  CHECK(rest.digest == plan.digest);
  CHECK(rest.steps[0].needs.empty());
  CHECK(reuse(rest, builds).contains("build:x"));
  const Results all = all_opened(plan, builds);
  const Plan last = without_idle(plan, all);
  CHECK(step_ids(last) == StepIds{"build:x", "sdist", "test:x", "publish:index"});
  CHECK(reuse(last, all).size() == 3);
}

TEST_CASE("an environment that is asked for, or known, stays") {
  Plan alone;
  alone.steps = {made_step("env:a", CreateEnvironment{})};
  CHECK(step_ids(without_idle(alone, {})) == StepIds{"env:a"});
  const Plan plan = planned_release();
  Results results = all_opened(plan, {});
  results[{"env:a", plan.steps[0].key}] = StepOutcome{"env:a", plan.steps[0].key};
  CHECK(step_ids(without_idle(plan, results)).front() == "env:a");
}

TEST_CASE("the compiler and the toolkit of a result may differ from those here, nothing else") {
  const KeyParts here = {{"toolchain", "12"}, {"version", "1"}, {"needs env:a", "k"}};
  KeyParts there = {
      {"toolchain", "14"}, {"version", "1"}, {"needs env:a", "k"}, {"needs toolkit:cuda-1", "t"}};
  CHECK(disagreements(here, there).empty());
  there["needs env:a"] = "another";
  there["extra"] = "1";
  there.erase("version");
  CHECK(disagreements(here, there) == StepIds{"extra", "needs env:a", "version"});
}

TEST_CASE("a run that only reuses names every step without a result that it was not asked for") {
  const Plan plan = planned_release();
  CHECK(missing_steps(plan, {}, {}) == StepIds{"build:x", "sdist", "test:x"});
  CHECK(missing_steps(plan, {}, {"test:x"}) == StepIds{"build:x", "sdist"});
  CHECK(missing_steps(plan, all_opened(plan, {}), {"publish:index"}) == StepIds{"test:x"});
  CHECK(missing_steps(plan, all_opened(plan, all_opened(plan, {})), {}).empty());
}

TEST_CASE("a skipped test among the results stays skipped") {
  const Plan plan = planned_release();
  const Results builds = all_opened(plan, {});
  const SearchableStep test = searchable_steps(plan, builds).at(0);
  Results results = builds;
  StepOutcome skipped = known_result(test);
  skipped.state = StepState::skipped;
  skipped.outputs = {};
  skipped.evidence = Evidence::loaded;
  results[{"test:x", test.key}] = skipped;
  CHECK(missing_steps(plan, results, {}).empty());
  CHECK(find_result(results, "test:x", test.parts)->state == StepState::skipped);
  // Its environment is not a result.
  const std::vector<StepOutcome> known = known_outcomes(plan, results);
  REQUIRE(known.size() == 3);
  CHECK(known.back().id == "test:x");
  CHECK(known.back().evidence == Evidence::loaded);
}

TEST_CASE("a key is known in part where a need has no result or no packages yet") {
  Plan plan = planned_release();
  for (Step& step : plan.steps) {
    if (auto* const environment = std::get_if<CreateEnvironment>(&step.action)) {
      environment->resolution = "packages";
    }
  }
  const PartialKey test = partial_key(plan, {}, "test:x");
  CHECK(test.unknown == std::set<std::string>{"build:x"});
  CHECK(test.parts == with_needs(plan.steps[5].parts, {{"env:b", plan.steps[4].key}}));
  // The toolkit's packages are not resolved.
  CHECK(partial_key(plan, {}, "build:x").unknown == std::set<std::string>{"toolkit:cuda"});
  const Results results = all_opened(plan, {});
  CHECK(partial_key(plan, results, "test:x").unknown.empty());
}

namespace {

Plan planned_split() {
  Plan plan;
  plan.steps = {made_step("env:a", CreateEnvironment{}),
                made_step("device:x@8.0", CompileDeviceCode{}, {"env:a"}),
                made_step("device:x@9.0", CompileDeviceCode{}, {"env:a"}),
                made_step("build:x", BuildWheel{}, {"env:a", "device:x@8.0", "device:x@9.0"})};
  return plan;
}

}  // namespace

TEST_CASE("the key of a split build does not depend on the device code compiled for it") {
  const Plan plan = planned_split();
  const std::vector<SearchableStep> open = searchable_steps(plan, {});
  CHECK(step_ids(open) == StepIds{"device:x@8.0", "device:x@9.0", "build:x"});
  CHECK(open[2].parts == with_needs(plan.steps[3].parts, {{"env:a", plan.steps[0].key}}));
  // The environment has no packages yet.
  CHECK(partial_key(plan, {}, "build:x").unknown == std::set<std::string>{"env:a"});
}

TEST_CASE("device code that only builds with a result need is neither searched nor compiled") {
  const Plan plan = planned_split();
  Results built;
  add_known(built, searchable_steps(plan, {}).at(2));
  CHECK(searchable_steps(plan, built).empty());
  CHECK(missing_steps(plan, built, {}).empty());
  const Plan rest = without_idle(plan, built);
  CHECK(step_ids(rest) == StepIds{"build:x"});
  CHECK(step_ids(without_unused_device_code(plan, built)) == StepIds{"env:a", "build:x"});
  CHECK(step_ids(without_unused_device_code(plan, {})) == step_ids(plan));
  CHECK(reuse(rest, built).contains("build:x"));
  CHECK(step_ids(without_idle(plan, {})) == step_ids(plan));
}

TEST_CASE(
    "a run of a build alone uses the device code that exists, and compiles the other itself") {
  const Plan plan = planned_split();
  Results some;
  add_known(some, searchable_steps(plan, {}).at(0));
  CHECK(step_ids(without_device_code(plan, some, {})) == step_ids(plan));
  const Plan alone = without_device_code(plan, some, {"build:x"});
  CHECK(step_ids(alone) == StepIds{"env:a", "device:x@8.0", "build:x"});
  CHECK(alone.steps.back().needs == StepIds{"env:a", "device:x@8.0"});
  CHECK(step_ids(without_device_code(plan, {}, {"build:x"})) == StepIds{"env:a", "build:x"});
  CHECK(step_ids(without_device_code(plan, {}, {"device:x@9.0"})).size() == 3);
}
