#include "session/enter_step.h"

#include <string>
#include <vector>

#include "unit/session/run_world.h"

namespace pinwheel::session {
namespace {

/// A step that somebody enters.
struct ShellWorld {
  RunWorld world = {};
  plan::Step step{"publish:index", "p", plan::Publish{}};

  Error refused() {
    const Result<int> entered =
        enter_step(world.host, world.request.workplace, {step, "a shell", {"true"}}, world.console);
    REQUIRE_FALSE(entered);
    return entered.error();
  }
};

TEST_CASE("a step with a missing secret cannot be entered, and nothing is made") {
  ShellWorld shell;
  plan::BuildWheel build;
  build.secrets = {"TOKEN"};
  shell.step = {"build:x", "b", build};
  const Error error = shell.refused();
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message == "`TOKEN` is not set, and `build:x` needs it");
  CHECK(shell.world.fake.files.changes.empty());
  CHECK(shell.world.fake.process.started.empty());
}

TEST_CASE("a directory for a step that cannot be made is an error") {
  ShellWorld shell;
  shell.world.fake.files.refused = "/shells/";
  CHECK(shell.refused().message.starts_with("refused: make " + shell.world.at("shells/")));
}

TEST_CASE("a step without a command cannot be entered, and its directory is removed") {
  ShellWorld shell;
  const Error error = shell.refused();
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.message == "`publish:index` runs no command");
  const std::vector<std::string>& changes = shell.world.fake.files.changes;
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].starts_with("make " + shell.world.at("shells/")));
  CHECK(changes[1] == "remove " + changes[0].substr(5));
}

}  // namespace
}  // namespace pinwheel::session
