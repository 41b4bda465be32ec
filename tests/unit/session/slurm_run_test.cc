#include "session/slurm_run.h"

#include "unit/session/run_world.h"

namespace pinwheel::session {

TEST_CASE("the jobs of each frozen plan have a directory of their own") {
  RunWorld world;
  world.request.plan.digest = "digest";
  const auto script_with = [&world](const std::string& frozen) {
    SlurmRequest request;
    request.frozen = [frozen]() -> Result<std::string> { return frozen; };
    const Result<std::string> script = slurm_script(world.host, request, world.request.workplace,
                                                    world.request.plan, store::Domain::branch);
    REQUIRE(script);
    return *script;
  };
  const std::string first = script_with(R"({"commit": "1"})");
  CHECK(first.find(world.at("slurm")) != std::string::npos);
  CHECK(script_with(R"({"commit": "1"})") == first);
  CHECK(script_with(R"({"commit": "2"})") != first);
  world.request.plan.digest = "another";
  CHECK(script_with(R"({"commit": "1"})") != first);
}

}  // namespace pinwheel::session
