#include "plan/publication.h"

#include "env/request.h"
#include "unit/catch.h"
#include "unit/plan/plan_example.h"

namespace pinwheel::plan {
namespace {

TEST_CASE("an sdist is published only with a wheel of its name") {
  const auto sdist_named = [](const std::string& id, const std::string& distribution) {
    BuildSdist sdist;
    sdist.distribution = distribution;
    return Step{id, {}, sdist};
  };
  Plan plan;
  plan.steps = {{"build:cpu", {}, BuildWheel{}},
                sdist_named("sdist", "My_Ops"),
                sdist_named("sdist:core", "my-core"),
                sdist_named("sdist:data", "my-data")};
  Publish action;
  action.builds = {"build:cpu", "sdist:core", "sdist", "sdist:absent"};
  action.names = {{"build:cpu", {"my.ops", "1.0+cpu"}},
                  {"build:core", {"my-core", "1.0"}},
                  {"build:data", {"my-data", "1.0"}}};
  CHECK(published_sdists(plan, action) == std::vector<const Step*>{&plan.steps[1]});
  action.builds.push_back("build:core");
  CHECK(published_sdists(plan, action) == std::vector<const Step*>{&plan.steps[1], &plan.steps[2]});
  action.names["build:cpu"].distribution = "my-ops-cpu";
  CHECK(published_sdists(plan, action) == std::vector<const Step*>{&plan.steps[2]});
  CHECK(published_sdists(plan, {}).empty());
}

TEST_CASE("an sdist is built in the environment that its publication names") {
  const PlanExample example;
  const matrix::VariantIndex variants(example.expansion.variants);
  const PlanOptions options{Stage::publish, {"index"}};
  const std::vector<ImageTest> images;
  const ImageTestIndex tests_on_images(images);
  matrix::SharedSettings settings(example.matrix);
  RequestDigests digests;
  const StepInputs in{example.matrix, example.expansion, variants, example.facts, options,
                      images,         tests_on_images,   settings, digests};
  const Outline outline = example.outline();
  const std::vector<PlannedSdist> sdists = planned_sdists(in, outline);
  REQUIRE(sdists.size() == 1);
  CHECK(sdists[0].id() == "sdist");
  CHECK(sdists[0].group == &outline.builds[0]);

  const Result<SdistSetup> setup = sdist_setup(in, sdists[0]);
  REQUIRE(setup);
  CHECK(setup->settings->environment.pip == std::vector<std::string>{"build"});
  const std::string digest = env::digest(setup->environment);
  const Plan plan = example.plan({}, Stage::publish);
  CHECK(env::digest(std::get<BuildSdist>(planned_step(plan, "sdist").action).environment) ==
        digest);
  const auto& action = std::get<Publish>(planned_step(plan, "publish:index").action);
  CHECK(action.environments.at("sdist").request == digest);
}

}  // namespace
}  // namespace pinwheel::plan
