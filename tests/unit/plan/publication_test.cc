#include "plan/publication.h"

#include "unit/catch.h"

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

}  // namespace
}  // namespace pinwheel::plan
