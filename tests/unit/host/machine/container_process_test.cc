#include "host/machine/container_process.h"

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

namespace {

/// A client with scripted results that records its commands.
class FakeClient final : public ports::Process {
 public:
  std::vector<std::vector<std::string>> asked = {};
  std::deque<ports::Captured> answers = {};
  std::function<void()> on_asked = {};

  Result<ports::Captured> capture(const ports::Command& command) override {
    asked.push_back(command.argv);
    if (on_asked) on_asked();
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

/// The value of an option; empty if there is none.
std::string option_in(const std::vector<std::string>& argv, const std::string& option) {
  for (size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] == option) return argv[i + 1];
  }
  return {};
}

std::string name_in(const std::vector<std::string>& argv) {
  return option_in(argv, "--name");
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

TEST_CASE("the figures of the client are not those of the program") {
  World world;
  const ports::Exit used{.code = 3, .peak_memory = 5, .cpu_time = 7ms};
  world.engine.answers = {{used, "", ""}, {used, "", ""}};
  host::ContainerProcess process = world.process();
  for (const ports::Exit& exit :
       {process.capture(kCommand)->exit, process.log(kCommand, "/nonexistent").value()}) {
    CHECK(exit.code == 3);
    CHECK(exit.peak_memory == 0);
    CHECK_FALSE(exit.cpu_time);
  }
  CHECK(option_in(world.engine.asked[0], "--cidfile").empty());
}

TEST_CASE(
    "a measured container has a file for its id while it is removed, and each exit is reported") {
  const Scratch scratch;
  World world;
  world.engine.answers = {{{.code = 3, .peak_memory = 5, .cpu_time = 7ms}, "", ""},
                          {{.code = 137}, "", ""},
                          {{.code = 125}, "", "docker: Error response from daemon: no.\n"}};
  std::vector<std::filesystem::path> places;
  std::vector<bool> there;
  world.cleaner.on_asked = [&] {
    places.emplace_back(option_in(world.engine.asked.back(), "--cidfile"));
    there.push_back(std::filesystem::is_directory(places.back().parent_path()));
  };
  host::ContainerProcess process = world.process();
  std::vector<ports::Exit> exits;
  process.measure(scratch.path(), [&](const ports::Exit& exit) { exits.push_back(exit); });
  REQUIRE(process.capture(kCommand));
  REQUIRE(process.log(kCommand, "/nonexistent"));
  REQUIRE_FALSE(process.capture(kCommand));
  REQUIRE(exits.size() == 2);
  CHECK(exits[0].code == 3);
  // No container has written its id.
  CHECK(exits[0].peak_memory == 0);
  CHECK_FALSE(exits[0].cpu_time);
  CHECK(exits[1].signal == 9);
  CHECK(there == std::vector<bool>{true, true, true});
  CHECK(places[0].parent_path().parent_path() == scratch.path());
  CHECK(places[0] != places[1]);
  CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("a command runs if it cannot be measured") {
  const Scratch scratch;
  World world;
  host::ContainerProcess process = world.process();
  int ended = 0;
  process.measure(scratch.path() / "missing", [&](const ports::Exit& /*exit*/) { ++ended; });
  REQUIRE(process.capture(kCommand)->exit.ok());
  CHECK(option_in(world.engine.asked[0], "--cidfile").empty());
  CHECK(ended == 1);
}
