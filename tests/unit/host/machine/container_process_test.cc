#include "host/machine/container_process.h"

#include <deque>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

/// A client with scripted results that records its commands.
class FakeClient final : public ports::Process {
 public:
  std::vector<std::vector<std::string>> asked = {};
  std::deque<ports::Captured> answers = {};

  Result<ports::Captured> capture(const ports::Command& command) override {
    asked.push_back(command.argv);
    if (answers.empty()) return ports::Captured{};
    ports::Captured answer = answers.front();
    answers.pop_front();
    return answer;
  }
  Result<ports::Exit> log(const ports::Command& command,
                          const std::filesystem::path& /*log*/) override {
    TRY(const ports::Captured ran, capture(command));
    return ran.exit;
  }
};

struct World {
  FakeClient engine;
  FakeClient cleaner;

  host::ContainerProcess process(container::AfterEnd after_end = container::AfterEnd::remove) {
    container::Container container{"docker", "sha256:abc"};
    container.after_end = after_end;
    return {engine, cleaner, container, "pinwheel-r1-build:cpu", {}};
  }
};

std::string name_in(const std::vector<std::string>& argv) {
  for (size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] == "--name") return argv[i + 1];
  }
  return {};
}

const ports::Command kCommand{{"make"}, "/", {}, {}};

}  // namespace

TEST_CASE("each command has its own container, which is always removed") {
  World world;
  world.engine.answers = {{}, {{.code = 3}, "", ""}};
  host::ContainerProcess process = world.process();
  REQUIRE(process.capture(kCommand)->exit.ok());
  CHECK(process.capture(kCommand)->exit.code == 3);
  const std::string first = name_in(world.engine.asked[0]);
  const std::string second = name_in(world.engine.asked[1]);
  CHECK(first.starts_with("pinwheel-r1-build-cpu-"));
  CHECK(first != second);
  REQUIRE(world.cleaner.asked.size() == 2);
  CHECK(world.cleaner.asked[0].back() == first);
  CHECK(world.cleaner.asked[1].back() == second);
}

TEST_CASE("a failed container is kept on request, and stopped") {
  World world;
  world.engine.answers = {{}, {{.code = 3}, "", ""}};
  host::ContainerProcess process = world.process(container::AfterEnd::keep);
  REQUIRE(process.capture(kCommand));
  REQUIRE(process.capture(kCommand));
  CHECK(world.cleaner.asked[0][1] == "rm");
  CHECK(world.cleaner.asked[1][1] == "kill");
}

TEST_CASE("a program killed by a signal has that signal in its exit") {
  World world;
  world.engine.answers = {{{.code = 137}, "", ""}};
  host::ContainerProcess process = world.process();
  const Result<ports::Captured> ran = process.capture(kCommand);
  REQUIRE(ran);
  CHECK(ran->exit.signal == 9);
}

TEST_CASE(
    "a failure of the client is an environment error, an exit code 125 of the program is not") {
  World world;
  world.engine.answers = {
      {{.code = 125}, "", "docker: Error response from daemon: No such image: sha256:abc.\n"},
      {{.code = 125}, "", "the program says so\n"}};
  host::ContainerProcess process = world.process();
  const Result<ports::Captured> failed = process.capture(kCommand);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::environment);
  CHECK(failed.error().message.find("No such image") != std::string::npos);
  CHECK(process.capture(kCommand)->exit.code == 125);
  CHECK(world.cleaner.asked.size() == 2);
}
