#include "session/run_plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "unit/session/run_world.h"

namespace pinwheel::session {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("a run makes its directories, executes its steps, and removes its scratch files") {
  RunWorld world;
  CHECK(world.code() == 0);
  CHECK(world.fake.acts == Texts{"perform build:x", "perform test:x"});
  CHECK(world.fake.files.changes ==
        Texts{"remove " + world.at("scratch"), "make " + world.at("scratch"),
              "make " + world.at("logs/run"), "remove " + world.at("scratch")});
  CHECK(world.console.warnings.empty());
}

TEST_CASE("a step that an earlier run finished is not executed again") {
  RunWorld world;
  CHECK(world.code() == 0);
  world.fake.acts.clear();
  CHECK(world.code() == 0);
  CHECK(world.fake.acts.empty());
  world.change_test();
  CHECK(world.code() == 0);
  CHECK(world.fake.acts == Texts{"perform test:x"});
}

TEST_CASE("directories that cannot be made end a run before its first step") {
  for (const char* const refused : {"remove ", "make "}) {
    RunWorld world;
    world.fake.files.refused = refused;
    const Result<report::RunReport> run = world.execute();
    REQUIRE_FALSE(run);
    CHECK(run.error().kind == ErrorKind::environment);
    CHECK(world.fake.acts.empty());
  }
}

TEST_CASE("after a failed step the scratch files remain, with a report next to the logs") {
  RunWorld world;
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  world.request.origin = [] { return Result<plan::RunOrigin>(plan::RunOrigin{}); };
  CHECK(world.code() == exit_code(ErrorKind::step));
  CHECK(world.fake.acts == Texts{"perform build:x"});
  CHECK(world.has_changed("write " + world.at("logs/run/report.json")));
  CHECK(world.fake.files.changes.back() != "remove " + world.at("scratch"));
  const std::string report = world.fake.files.text(world.at("logs/run/report.json"));
  CHECK(report.find("a compiler failed") != std::string::npos);
}

TEST_CASE("a report that cannot be written is a warning") {
  RunWorld world;
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  world.request.origin = [] { return Result<plan::RunOrigin>(plan::RunOrigin{}); };
  world.fake.files.refused = kReportName;
  CHECK(world.code() == exit_code(ErrorKind::step));
  REQUIRE(world.console.warnings.size() == 1);
  CHECK(world.console.warnings.front().starts_with("refused: write "));
}

TEST_CASE("an origin that cannot be determined is a warning, and no report is written") {
  RunWorld world;
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  world.request.origin = [] {
    return Result<plan::RunOrigin>(fail(ErrorKind::environment, "the repository is gone"));
  };
  CHECK(world.code() == exit_code(ErrorKind::step));
  CHECK(world.console.warnings == Texts{"the repository is gone"});
  CHECK_FALSE(world.has_changed("write " + world.at("logs/run/report.json")));
}

TEST_CASE("the origin of a run without failures is asked for its JSON alone") {
  RunWorld world;
  int asked = 0;
  world.request.origin = [&asked] {
    ++asked;
    return Result<plan::RunOrigin>(plan::RunOrigin{});
  };
  CHECK(world.code() == 0);
  CHECK(asked == 0);
  world.options.json = true;
  CHECK(world.code() == 0);
  CHECK(asked == 1);
  CHECK(world.console.documents.size() == 1);
}

TEST_CASE("scratch files that cannot be removed are a warning") {
  RunWorld world;
  world.fake.files.on_change = [&world](const std::string& line) {
    if (line.starts_with("make " + world.at("logs"))) world.fake.files.refused = "remove ";
  };
  CHECK(world.code() == 0);
  CHECK(world.console.warnings == Texts{"refused: remove " + world.at("scratch")});
}

TEST_CASE("a missing secret of a step ends a run before its first step") {
  RunWorld world;
  plan::BuildWheel build;
  build.secrets = {"TOKEN"};
  world.request.plan.steps[0].action = build;
  const Result<report::RunReport> run = world.execute();
  REQUIRE_FALSE(run);
  CHECK(run.error().kind == ErrorKind::environment);
  CHECK(run.error().message == "`TOKEN` is not set, and `build:x` needs it");
  CHECK(world.fake.acts.empty());
  world.request.workplace.variables["TOKEN"] = "correct horse battery";
  CHECK(world.code() == 0);
  CHECK(world.console.hidden == 1);
}

TEST_CASE("a run that only reuses ends before anything runs if a result is missing") {
  RunWorld world;
  world.request.requested = std::set<std::string>{"test:x"};
  const Result<report::RunReport> run = world.execute();
  REQUIRE_FALSE(run);
  CHECK(run.error().kind == ErrorKind::check);
  CHECK(world.fake.acts.empty());
  world.request.requested.reset();
  CHECK(world.code() == 0);
  world.change_test();
  world.request.requested = std::set<std::string>{"test:x"};
  world.fake.acts.clear();
  CHECK(world.code() == 0);
  CHECK(world.fake.acts == Texts{"perform test:x"});
}

TEST_CASE("a gate whose tests have enough evidence prints its message") {
  RunWorld world;
  world.request.gate = std::vector<plan::Step>();
  world.request.gate_message = "the gate holds";
  CHECK(world.code() == 0);
  REQUIRE_FALSE(world.console.notes.empty());
  CHECK(std::find(world.console.notes.begin(), world.console.notes.end(), "the gate holds\n") !=
        world.console.notes.end());
}

TEST_CASE("GitHub gets a summary, and an annotation of each failure") {
  RunWorld world;
  CHECK(world.code() == 0);
  CHECK(world.console.summaries.empty());
  world.console.github = true;
  world.fake.performed = fail(ErrorKind::step, "a compiler failed");
  world.change_test();
  CHECK(world.code() == exit_code(ErrorKind::step));
  CHECK(world.console.summaries.size() == 1);
  CHECK(world.console.annotations.size() == 1);
}

TEST_CASE("options that no run can have are refused before its first step") {
  RunWorld world;
  world.options.jobs = -1;
  const Result<report::RunReport> run = world.execute();
  REQUIRE_FALSE(run);
  CHECK(run.error().kind == ErrorKind::usage);
  CHECK(world.fake.acts.empty());
}

}  // namespace
}  // namespace pinwheel::session
