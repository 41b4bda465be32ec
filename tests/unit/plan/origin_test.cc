#include "plan/origin.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

RunOrigin example_origin() {
  RunOrigin origin{"0.1", "matrix/kernels.yaml", std::string(40, 'c'), true};
  origin.variables = {{"CXXFLAGS", "-O2"}};
  origin.toolchain = "12.2.0 x86_64-linux-gnu";
  origin.plan.variants = {"cp311-cpu"};
  origin.plan.levels = {container::Engine::docker, env::PythonSource::conda, {{"*", "debian:12"}}};
  origin.plan.resolutions = {{"ab12", "{\"packages\": []}"}};
  origin.steps = {{"build:cpu", {"python", "-m", "build"}, {{"A", "1"}}}};
  return origin;
}

}  // namespace

TEST_CASE("an origin round-trips through JSON") {
  const Result<RunOrigin> back = parse_origin(to_json(example_origin()));
  REQUIRE(back);
  CHECK(*back == example_origin());
}

TEST_CASE("text that is not an origin is a config error") {
  for (const char* text : {"", "[]", "{}", "{\"pinwheel\": \"0.1\"}"}) {
    const Result<RunOrigin> back = parse_origin(text);
    REQUIRE_FALSE(back);
    CHECK(back.error().kind == ErrorKind::config);
  }
}

TEST_CASE("a build's command has the matrix's variables, never the user's") {
  BuildWheel build;
  build.settings.build.command = {"python", "-m", "build"};
  build.variables = {{"CMAKE_ARGS", "-DX=1"}};
  build.version = "1.2.0";
  build.source_date_epoch = 7;
  const StepCommand command = command_of({"build:cpu", {}, build});
  CHECK(command.argv == std::vector<std::string>{"python", "-m", "build"});
  CHECK(command.variables == std::map<std::string, std::string>{{"CMAKE_ARGS", "-DX=1"},
                                                                {"PINWHEEL_VERSION", "1.2.0"},
                                                                {"SOURCE_DATE_EPOCH", "7"}});
  CHECK(command_of({"env:a", {}, CreateEnvironment{}}).argv.empty());
}
