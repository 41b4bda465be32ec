#include "host/system/process_watch.h"

#include <sys/resource.h>
#include <exception>

#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "base/text.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

namespace {

ports::Command shell_script(const std::string& script) {
  return {.argv = {"sh", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}}};
}

/// A watch for `sleep` as a command, and for programs named "builder".
struct SleepWatch {
  std::vector<std::vector<std::string>> noticed = {};
  std::map<size_t, std::string> read = {};  ///< what the directory of a builder has in `file`

  host::WatchCallbacks callbacks() {
    host::WatchCallbacks callbacks;
    callbacks.judge = [](const std::vector<std::string>& argv) {
      if (argv.size() > 1 && last_part(argv[1]) == "builder") return host::WatchRole::builder;
      return last_part(argv.front()) == "sleep" ? host::WatchRole::command
                                                : host::WatchRole::parent;
    };
    callbacks.begun = [this](const std::vector<std::string>& argv) {
      noticed.push_back(argv);
      return noticed.size() - 1;
    };
    callbacks.builder_ended = [this](size_t id, const std::filesystem::path& directory) {
      std::ostringstream text;
      text << std::ifstream(directory / "file").rdbuf();
      read[id] = text.str();
    };
    return callbacks;
  }
};

}  // namespace

TEST_CASE("a watch finds the commands of a tree of processes, and when they ran") {
  SleepWatch sleeps;
  const auto before = std::chrono::system_clock::now();
  host::ProcessWatch watch(sleeps.callbacks(), 2);
  host::ChildProcesses children;
  const auto ran = children.capture(shell_script("sh -c 'sleep 0.3; true' & sleep 0.6; wait"));
  REQUIRE(ran);
  const std::vector<host::WatchedCommand> commands = watch.stop();
  const auto after = std::chrono::system_clock::now();
  REQUIRE(commands.size() == 2);
  for (const host::WatchedCommand& each : commands) {
    const auto length = each.end - each.start;
    const bool shorter = sleeps.noticed.at(each.id).at(1) == "0.3";
    CHECK(length >= (shorter ? 290ms : 590ms));
    CHECK(each.start >= before - 20ms);
    CHECK(each.end <= after);
    CHECK_FALSE(each.builder);
  }
}

TEST_CASE("the directory of a builder is read when it ends, even if it is removed at once") {
  const Scratch scratch;
  std::ofstream(scratch.path() / "builder") << "cd build; echo it > file; sleep 0.1; sleep 0.1\n";
  std::filesystem::create_directories(scratch.path() / "build");
  SleepWatch sleeps;
  host::ProcessWatch watch(sleeps.callbacks(), 2);
  host::ChildProcesses children;
  ports::Command command = shell_script("sh ./builder; sleep 0.2; rm -r build");
  command.directory = scratch.path();
  REQUIRE(children.capture(command));
  const std::vector<host::WatchedCommand> commands = watch.stop();
  REQUIRE(sleeps.read.size() == 1);
  CHECK(sleeps.read.begin()->second == "it\n");
  // Nothing is stored of processes that were judged and not recorded.
  CHECK(sleeps.noticed.size() == 1 + commands.size());
  size_t inside = 0;
  for (const host::WatchedCommand& each : commands) {
    if (each.builder == sleeps.read.begin()->first) ++inside;
  }
  CHECK(inside == 2);
}

TEST_CASE("a watch without processes finds nothing, and can be destroyed while one runs") {
  SleepWatch sleeps;
  {
    host::ProcessWatch watch(sleeps.callbacks(), 1);
    CHECK(watch.stop().empty());
    CHECK(watch.stop().empty());
  }
  const host::ProcessWatch unused(sleeps.callbacks(), 1);
  CHECK(sleeps.noticed.empty());
}

TEST_CASE("a watch that could not be ended is not started") {
  SleepWatch sleeps;
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  // Sanitizers need descriptors to look at an exception.
  std::exception_ptr failure;
  try {
    const host::ProcessWatch watch(sleeps.callbacks(), 1);
  } catch (...) {
    failure = std::current_exception();
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE(failure);
  std::error_code code;
  try {
    std::rethrow_exception(failure);
  } catch (const std::system_error& error) {
    code = error.code();
  }
  CHECK(code == std::errc::too_many_files_open);
}
