#include "session/reuse_only.h"

#include <iterator>

#include "plan/known_results.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::session {
namespace {

using Ids = std::set<std::string>;

plan::Plan example_plan() {
  plan::Plan plan;
  plan.steps = {{"env:a", "e", plan::CreateEnvironment{}},
                {"build:x", "b", plan::BuildWheel{}, {"env:a"}},
                {"test:x", "t", plan::TestWheel{}, {"env:a", "build:x"}},
                {"publish:index", "p", plan::Publish{}, {"build:x", "test:x"}}};
  return plan;
}

TEST_CASE("a run that only reuses executes the named steps, else those of its command") {
  const plan::Plan plan = example_plan();
  CHECK(requested_steps(plan, {}, plan::Stage::test, {"build:x"}) == Ids{"build:x"});
  CHECK(requested_steps(plan, {}, plan::Stage::build, {}).empty());
  CHECK(requested_steps(plan, {}, plan::Stage::test, {}) == Ids{"test:x"});
  CHECK(requested_steps(plan, {}, plan::Stage::publish, {}) == Ids{"publish:index"});
  prepare::RunOptions gate;
  gate.gate = true;
  CHECK(requested_steps(plan, gate, plan::Stage::publish, {}).empty());
  CHECK(requested_steps(plan, gate, plan::Stage::test, {}) == Ids{"test:x"});
}

TEST_CASE("a release that is promoted also executes its installations") {
  plan::Plan plan = example_plan();
  plan::Publish first;
  first.role = plan::PublishRole::first;
  plan.steps.back() = {"publish:trial", "f", first, {"build:x", "test:x"}};
  plan.steps.push_back({"install:x", "i", plan::InstallWheel{}, {"build:x", "publish:trial"}});
  plan.steps.push_back({"publish:index", "p", plan::Publish{}, {"publish:trial", "install:x"}});
  CHECK(requested_steps(plan, {}, plan::Stage::publish, {}) ==
        Ids{"publish:trial", "install:x", "publish:index"});
  CHECK(requested_steps(plan, {}, plan::Stage::test, {}) == Ids{"test:x"});
  // A job that runs only the installation needs the result of the first publication.
  const std::map<std::string, Error> missing =
      missing_results(plan, {}, {{"install:x"}, {"`dir:in`"}, "--plan p.json"});
  CHECK(missing.contains("publish:trial"));
  CHECK(missing.at("publish:trial").hint ==
        "`pinwheel release --plan p.json --step publish:trial`");
  CHECK_FALSE(missing.contains("publish:index"));
}

TEST_CASE("a gate is about all targets and all steps, and nothing is looked up for a dry run") {
  constexpr plan::Stage kRelease = plan::Stage::publish;
  prepare::RunOptions options;
  CHECK(check_reuse_options(options, kRelease));
  options.reuse_only = true;
  options.gate = true;
  CHECK(check_reuse_options(options, kRelease));
  options.targets = {"index"};
  CHECK(check_reuse_options(options, kRelease).error().kind == ErrorKind::usage);
  options.targets = {};
  options.steps = {"sdist"};
  CHECK(check_reuse_options(options, kRelease).error().message ==
        "`--step` and `--gate` exclude each other");
  CHECK(check_reuse_options(options, plan::Stage::test));
  options.steps = {};
  options.dry_run = true;
  CHECK_FALSE(check_reuse_options(options, kRelease));
}

TEST_CASE("each missing step is named with every place where it was looked for") {
  const std::map<std::string, Error> missing = missing_results(
      example_plan(), {}, {{"test:x"}, {"`.pinwheel`", "`dir:in`"}, "--plan p.json"});
  REQUIRE(missing.size() == 1);
  CHECK(missing.at("build:x").kind == ErrorKind::check);
  CHECK(missing.at("build:x").message == "`build:x` has no result in `.pinwheel`, `dir:in`");
  CHECK(missing.at("build:x").hint == "`pinwheel build --plan p.json --step build:x`");
  CHECK(missing_results(example_plan(), {}, {}).at("test:x").hint ==
        "`pinwheel test --step test:x`");
}

TEST_CASE("a test that no workflow runs is skipped once its build has a result") {
  const plan::Plan plan = example_plan();
  CHECK(with_unplaced(plan, {}, {"test:x"}).empty());
  const std::vector<plan::SearchableStep> builds = plan::searchable_steps(plan, {});
  REQUIRE(builds.size() == 1);
  plan::Results results;
  results[{"build:x", builds[0].key}] = {"build:x", builds[0].key};
  CHECK(with_unplaced(plan, results, {"test:y"}).size() == 1);
  const plan::Results all = with_unplaced(plan, results, {"test:x"});
  REQUIRE(all.size() == 2);
  CHECK(missing_results(plan, all, {{}, {"`dir:in`"}}).empty());
  const plan::StepOutcome& test = std::prev(all.end())->second;
  CHECK(test.state == plan::StepState::skipped);
  CHECK(test.evidence == plan::Evidence::none);
  CHECK(test.reason == "no job of a workflow runs it: `ci.runners.test` names no runner for it");
}

TEST_CASE("a run of a frozen plan executes only the requested steps") {
  fakes::FakeHost fake;
  const prepare::RunScope whole = prepare::whole_scope(fake, prepare::kPlainYaml);
  const auto tests = executing_only(whole, {}, plan::Stage::test, {});
  REQUIRE(tests);
  CHECK(tests->executed->steps == Ids{"test:cp311", "test:cp312"});
  const auto named = executing_only(whole, {}, plan::Stage::test, {"build:cp311"});
  REQUIRE(named);
  CHECK(named->executed->steps == Ids{"build:cp311"});
  CHECK(named->outline.variants.size() == whole.outline.variants.size());
  const auto builds = executing_only(whole, {}, plan::Stage::build, {});
  REQUIRE(builds);
  CHECK(builds->executed->steps.empty());
}

}  // namespace
}  // namespace pinwheel::session
