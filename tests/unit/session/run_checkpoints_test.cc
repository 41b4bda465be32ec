#include "session/run_checkpoints.h"

#include <fstream>

#include "base/digest.h"
#include "host/system/files.h"
#include "plan/action.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"
#include "unit/session/recording_console.h"

using namespace pinwheel;
using namespace pinwheel::session;
namespace fs = std::filesystem;

namespace {

plan::Step saving_step(const std::string& id) {
  plan::BuildWheel build;
  build.settings.build.checkpoint = matrix::CheckpointSettings{};
  plan::Step step;
  step.id = id;
  step.action = build;
  return step;
}

plan::Report finished(const std::string& id) {
  plan::StepOutcome outcome;
  outcome.id = id;
  outcome.state = plan::StepState::done;
  return {{outcome}};
}

/// A state directory with a checkpoint of a build.
struct Saved {
  Scratch scratch = {};
  fs::path state = scratch.path() / "state";
  host::OpenStore none = {};
  plan::Step step = saving_step("build:a");
  RunCheckpoints checkpoints = open_checkpoints({{}, none, state}, {&step});
  RecordingConsole console = {};

  Saved() {
    const fs::path file = scratch.path() / "object";
    std::ofstream(file) << "object";
    REQUIRE(checkpoints.stored);
    REQUIRE(checkpoints.stored->save({"build:a", "key", file}, {{sha256_hex("object"), file}}));
  }
  void close(const plan::Report& report) {
    host::LocalFiles files;
    close_checkpoints(files, checkpoints, report, console);
  }
};

}  // namespace

TEST_CASE("only builds with the setting save checkpoints") {
  const host::OpenStore none;
  const fs::path state = "state";
  plan::Step plain = saving_step("build:a");
  std::get<plan::BuildWheel>(plain.action).settings.build.checkpoint.reset();
  plan::Step test;
  test.action = plan::TestWheel{};
  CHECK_FALSE(open_checkpoints({{}, none, state}, {&plain, &test}).stored);
  const plan::Step saving = saving_step("build:a");
  CHECK(open_checkpoints({{}, none, state}, {&saving}).directory == "state/checkpoints");
  CHECK(open_checkpoints({"/named", none, state}, {&saving}).directory == "/named");
  const host::OpenStore some = []() -> Result<std::shared_ptr<host::Store>> {
    return fail(ErrorKind::environment, "it cannot be opened");
  };
  CHECK(open_checkpoints({{}, some, state}, {&saving}).directory.empty());
}

TEST_CASE("a directory of checkpoints is emptied when it has none of an unfinished build") {
  Saved saved;
  saved.close(finished("build:b"));
  CHECK(fs::exists(saved.state / "checkpoints" / "cas"));
  saved.close(finished("build:a"));
  CHECK_FALSE(fs::exists(saved.state / "checkpoints" / "cas"));
  CHECK(saved.console.warnings.empty());
}

TEST_CASE("a build that has forgotten its checkpoints leaves an empty directory") {
  Saved saved;
  saved.checkpoints.stored->forget("build:a", "key");
  saved.close(finished("build:b"));
  CHECK_FALSE(fs::exists(saved.state / "checkpoints" / "ac"));
}
