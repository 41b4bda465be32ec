#include "host/system/process_watch.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

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

/// A watch for `sleep` as a command, and for programs named "builder". A script that waits for what
/// the watch has done reads a line from its descriptor 3 for each command that was found, and for
/// each builder that ended: a busy machine can delay the watch for any time.
struct SleepWatch {
  std::vector<std::vector<std::string>> noticed = {};
  std::map<size_t, host::WatchTime> noticed_at = {};
  std::map<size_t, std::string> read = {};  ///< what the directory of a builder has in `file`
  std::filesystem::path events = {};        ///< the FIFO of the script; empty: none

  explicit SleepWatch(std::filesystem::path fifo = {}) : events(std::move(fifo)) {
    if (!events.empty()) REQUIRE(::mkfifo(events.c_str(), 0600) == 0);
  }

  host::WatchCallbacks callbacks() {
    host::WatchCallbacks callbacks;
    callbacks.judge = [](const std::vector<std::string>& argv) {
      if (argv.size() > 1 && last_part(argv[1]) == "builder") return host::WatchRole::builder;
      return last_part(argv.front()) == "sleep" ? host::WatchRole::command
                                                : host::WatchRole::parent;
    };
    callbacks.begun = [this](const std::vector<std::string>& argv) {
      noticed.push_back(argv);
      noticed_at[noticed.size() - 1] = now();
      if (last_part(argv.front()) == "sleep") report();
      return noticed.size() - 1;
    };
    callbacks.builder_ended = [this](size_t id, const std::filesystem::path& directory) {
      std::ostringstream text;
      text << std::ifstream(directory / "file").rdbuf();
      read[id] = text.str();
      report();
    };
    return callbacks;
  }

  static host::WatchTime now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }

 private:
  /// Opening a FIFO for both does not wait for a reader.
  void report() const {
    if (!events.empty()) std::fstream(events, std::ios::in | std::ios::out) << "\n" << std::flush;
  }
};

}  // namespace

TEST_CASE("a watch finds the commands of a tree of processes, and when they ran") {
  const Scratch scratch;
  SleepWatch sleeps(scratch.path() / "events");
  const host::WatchTime before = SleepWatch::now();
  host::ProcessWatch watch(sleeps.callbacks(), 2);
  host::ChildProcesses children;
  ports::Command command = shell_script(
      "exec 3<> events; sh -c 'sleep 500 & echo $! > inner; wait' & sleep 600 & "
      "read line <&3; read line <&3; read inner < inner; kill $! $inner; wait");
  command.directory = scratch.path();
  REQUIRE(children.capture(command));
  const std::vector<host::WatchedCommand> commands = watch.stop();
  const host::WatchTime after = SleepWatch::now();
  REQUIRE(commands.size() == 2);
  const host::WatchTime both_found = std::max(sleeps.noticed_at.at(0), sleeps.noticed_at.at(1));
  for (const host::WatchedCommand& each : commands) {
    CHECK(each.start >= before - 20ms);
    CHECK(each.start <= sleeps.noticed_at.at(each.id));
    CHECK(each.end >= both_found);
    CHECK(each.end <= after);
    CHECK_FALSE(each.builder);
  }
}

TEST_CASE("the directory of a builder is read when it ends, and its commands are known") {
  const Scratch scratch;
  std::ofstream(scratch.path() / "builder") << "cd build; for n in 1 2; do sleep 600 & read line "
                                               "<&3; kill $!; wait; done; echo it > file\n";
  std::filesystem::create_directories(scratch.path() / "build");
  SleepWatch sleeps(scratch.path() / "events");
  host::ProcessWatch watch(sleeps.callbacks(), 2);
  host::ChildProcesses children;
  ports::Command command = shell_script(
      "exec 3<> events; sh ./builder; read line <&3; rm -r build; "
      "sleep 600 & read line <&3; kill $!; wait");
  command.directory = scratch.path();
  REQUIRE(children.capture(command));
  const std::vector<host::WatchedCommand> commands = watch.stop();
  REQUIRE(sleeps.read.size() == 1);
  CHECK(sleeps.read.begin()->second == "it\n");
  // Nothing is stored of processes that were judged and not recorded.
  CHECK(sleeps.noticed.size() == 1 + commands.size());
  REQUIRE(commands.size() == 3);
  const auto inside = std::ranges::count_if(commands, [&](const host::WatchedCommand& each) {
    return each.builder == sleeps.read.begin()->first;
  });
  CHECK(inside == 2);
}

TEST_CASE("a watch follows processes that others have started") {
  const Scratch scratch;
  SleepWatch sleeps(scratch.path() / "events");
  host::ProcessWatch watch(sleeps.callbacks(), 2);
  ports::Command command = shell_script(
      "exec 3<> events; sleep 600 & echo $$ > new; mv new number; read line <&3; kill $!; wait");
  command.directory = scratch.path();
  command.timeout = 120s;
  // The processes of another thread are not those of the watch.
  ports::Exit exit;
  std::thread other([&] {
    if (const Result<ports::Captured> ran = host::ChildProcesses().capture(command)) {
      exit = ran->exit;
    }
  });
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (!std::filesystem::exists(scratch.path() / "number") &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(1ms);
  }
  pid_t number = 0;
  std::ifstream(scratch.path() / "number") >> number;
  if (number != 0) watch.follow(number);
  other.join();
  REQUIRE(number != 0);
  CHECK_FALSE(exit.timed_out);
  // It has ended.
  watch.follow(number);
  const std::vector<host::WatchedCommand> commands = watch.stop();
  REQUIRE(commands.size() == 1);
  CHECK(sleeps.noticed.at(commands.front().id) == std::vector<std::string>{"sleep", "600"});
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
