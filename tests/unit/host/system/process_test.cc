#include "host/system/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

namespace {

ports::Command shell(const std::string& script) {
  return {.argv = {"sh", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}}};
}

enum class Count { all, sleepers };

/// Live processes (not zombies) whose environment contains `marker`.
int count_marked(const std::string& marker, Count what = Count::all) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream environ(entry.path() / "environ", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(environ)), {});
    if (text.find(marker) == std::string::npos) continue;
    std::string program;
    std::ifstream(entry.path() / "comm") >> program;
    if (what == Count::all || program == "sleep") ++count;
  }
  return count;
}

/// Polls until there are `wanted` marked processes; returns the last count.
int wait_for_marked(const std::string& marker, int wanted, Count what = Count::all) {
  int count = -1;
  for (int i = 0; i < 1000; ++i) {
    count = count_marked(marker, what);
    if (count == wanted) break;
    std::this_thread::sleep_for(10ms);
  }
  return count;
}

std::string fresh_marker() {
  static int number = 0;
  return "PINWHEEL_TEST_MARK=" + std::to_string(getpid()) + "." + std::to_string(++number);
}

ports::Command marked(const std::string& script, const std::string& marker) {
  ports::Command command = shell(script);
  command.environment["PINWHEEL_TEST_MARK"] = marker.substr(marker.find('=') + 1);
  return command;
}

/// Five sleeping processes: in the background, in their own session, in the foreground.
const std::string kFamily =
    "sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & sh -c 'sleep 1000 & sleep 1000'";
constexpr int kSleepers = 5;

}  // namespace

TEST_CASE("the processor time is that of all processes of a program") {
  host::ChildProcesses children;
  // The inner shell does the work; the outer one only waits.
  const auto ran =
      children.capture(shell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; exit 0"));
  REQUIRE(ran);
  REQUIRE(ran->exit.cpu_time);
  CHECK(*ran->exit.cpu_time > 20ms);
}

TEST_CASE("both streams and the exit code are captured") {
  const Result<ports::Captured> run =
      host::ChildProcesses().capture(shell("echo out; echo err >&2; exit 7"));
  REQUIRE(run);
  CHECK(run->exit.code == 7);
  CHECK(run->exit.signal == 0);
  CHECK(run->out == "out\n");
  CHECK(run->err == "err\n");
}

TEST_CASE("a large output is captured completely") {
  const Result<ports::Captured> run =
      host::ChildProcesses().capture(shell("head -c 3000000 /dev/zero"));
  REQUIRE(run);
  CHECK(run->exit.ok());
  CHECK(run->out.size() == 3'000'000);
}

TEST_CASE("a child that is cut off from the network has a loopback device of its own") {
  ports::Command command = shell("cat /proc/net/dev /proc/net/fib_trie; id -u");
  command.network = ports::Network::loopback;
  host::ChildProcesses processes;
  const Result<ports::Captured> ran = processes.capture(command);
  if (!ran) {
    // A machine that allows no namespaces says so; runs then leave the network (probe_network).
    CHECK(ran.error().kind == ErrorKind::environment);
    CHECK(ran.error().message.find("network of its own") != std::string::npos);
    return;
  }
  CHECK(ran->exit.ok());
  CHECK(ran->out.find("lo:") != std::string::npos);
  CHECK(ran->out.find("eth0:") == std::string::npos);
  CHECK(ran->out.find("127.0.0.1") != std::string::npos);
  CHECK(ran->out.ends_with(std::to_string(::geteuid()) + "\n"));
}

TEST_CASE("a child has exactly the given environment and no input") {
  ports::Command command = {.argv = {"env"}, .environment = {{"PATH", "/usr/bin"}, {"A", "b c"}}};
  const Result<ports::Captured> run = host::ChildProcesses().capture(command);
  REQUIRE(run);
  CHECK(run->out == "A=b c\nPATH=/usr/bin\n");
  const Result<ports::Captured> cat = host::ChildProcesses().capture(shell("cat"));
  REQUIRE(cat);
  CHECK(cat->out.empty());
}

TEST_CASE("a child inherits only the three standard descriptors") {
  const Result<ports::Captured> run = host::ChildProcesses().capture(
      shell("for f in 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ -e /proc/$$/fd/$f ] && "
            "readlink /proc/$$/fd/$f; done; true"));
  REQUIRE(run);
  CHECK(run->out.empty());
}

TEST_CASE("a child has no terminal on which it could wait for an answer") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const char* const name = ::ptsname(terminal);
  REQUIRE(name != nullptr);
  const pid_t program = ::fork();
  REQUIRE(program >= 0);
  if (program == 0) {
    // As a program that was started in this terminal.
    if (::setsid() < 0 || ::open(name, O_RDWR) < 0) ::_exit(2);
    ports::Command asks = shell("read answer < /dev/tty");
    asks.timeout = 60s;
    const Result<ports::Captured> run = host::ChildProcesses().capture(asks);
    ::_exit(run && !run->exit.timed_out && run->exit.code > 0 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(program, &status, 0) == program);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  ::close(terminal);
}

TEST_CASE("a child runs in its directory and appends to its log") {
  const Scratch scratch;
  ports::Command command = shell("pwd; echo err >&2");
  command.directory = scratch.path();
  scratch.write("log", "before\n");
  const Result<ports::Exit> run = host::ChildProcesses().log(command, scratch.path() / "log");
  REQUIRE(run);
  CHECK(run->ok());
  CHECK(scratch.read("log") == "before\n" + scratch.path().string() + "\nerr\n");
}

TEST_CASE("a log has no secret, wherever the program cuts it, and nothing else is lost") {
  const Scratch scratch;
  const auto hidden = std::make_shared<HiddenText>();
  std::const_pointer_cast<HiddenText>(hidden)->add(Secret("s3cr3t-value"), "TOKEN");
  host::ChildProcesses children({}, 2s, hidden);
  const Result<ports::Exit> run = children.log(
      shell("printf 'a s3cr3t'; sleep 0.1; printf -- '-value b\n'; printf 's3cr3t-value\n' >&2;"
            "printf s3cr3t-value | base64; head -c 300000 /dev/zero | tr '\\0' x; exit 3"),
      scratch.path() / "log");
  REQUIRE(run);
  CHECK(run->code == 3);
  const std::string log = scratch.read("log");
  CHECK(log.starts_with("a *** b\n***\n***"));
  CHECK(log.ends_with(std::string(300000, 'x')));
  const auto captured = children.capture(shell("printf s3cr3t-value"));
  REQUIRE(captured);
  CHECK(captured->out == "s3cr3t-value");
}

TEST_CASE("a program that cannot be started is an environment error that names it") {
  host::ChildProcesses children;
  const Scratch scratch;
  const auto missing = children.capture({.argv = {"no-such-program"}, .environment = {}});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::environment);
  CHECK(missing.error().message == "program `no-such-program` is not on the PATH");
  const auto absent = children.capture({.argv = {"/no/such/program"}, .environment = {}});
  REQUIRE_FALSE(absent);
  CHECK(absent.error().kind == ErrorKind::environment);
  const auto text =
      children.capture({.argv = {scratch.write("text", "x").string()}, .environment = {}});
  REQUIRE_FALSE(text);
  CHECK(text.error().message.find("permission denied") != std::string::npos);
  ports::Command nowhere = shell("true");
  nowhere.directory = scratch.path() / "gone";
  const auto lost = children.capture(nowhere);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().kind == ErrorKind::environment);
}

TEST_CASE(
    "a child killed by a signal has that signal in its exit, and SIGKILL means out of memory") {
  const auto aborted = host::ChildProcesses().capture(shell("kill -ABRT $$"));
  REQUIRE(aborted);
  CHECK(aborted->exit.signal == SIGABRT);
  CHECK_FALSE(aborted->exit.out_of_memory);
  const auto killed = host::ChildProcesses().capture(shell("kill -KILL $$"));
  REQUIRE(killed);
  CHECK(killed->exit.signal == SIGKILL);
  CHECK(killed->exit.out_of_memory);
}

TEST_CASE("processes that a child leaves behind are killed when it exits") {
  const std::string marker = fresh_marker();
  const auto run = host::ChildProcesses().capture(
      marked("sleep 1000 & setsid sleep 1000 & echo started", marker));
  REQUIRE(run);
  CHECK(run->exit.ok());
  CHECK(run->out == "started\n");
  CHECK(count_marked(marker) == 0);
}

TEST_CASE("a time limit ends the whole process tree, even if it ignores TERM") {
  const std::string marker = fresh_marker();
  ports::Command command = marked("trap '' TERM; " + kFamily, marker);
  command.timeout = 200ms;
  const auto run = host::ChildProcesses({}, 100ms).capture(command);
  REQUIRE(run);
  CHECK(run->exit.timed_out);
  CHECK_FALSE(run->exit.ok());
  CHECK_FALSE(run->exit.out_of_memory);
  CHECK(count_marked(marker) == 0);
}

TEST_CASE("a child may clean up after TERM") {
  ports::Command command = shell("trap 'echo bye; exit 3' TERM; echo up; sleep 1000 & wait");
  command.timeout = 300ms;
  const auto run = host::ChildProcesses({}, 1h).capture(command);
  REQUIRE(run);
  CHECK(run->exit.timed_out);
  CHECK(run->exit.code == 3);
  CHECK(run->out == "up\nbye\n");
}

TEST_CASE("a cancellation ends the process tree and rejects later commands") {
  const std::string marker = fresh_marker();
  std::stop_source stop;
  host::ChildProcesses children(stop.get_token(), 100ms);
  std::thread canceller([&] {
    wait_for_marked(marker, kSleepers, Count::sleepers);
    stop.request_stop();
  });
  const auto run = children.capture(marked(kFamily, marker));
  canceller.join();
  REQUIRE(run);
  CHECK(run->exit.canceled);
  CHECK(count_marked(marker) == 0);
  const auto later = children.capture(shell("echo late"));
  REQUIRE(later);
  CHECK(later->exit.canceled);
  CHECK(later->out.empty());
}

TEST_CASE("a SIGKILL of the program leaves no descendant") {
  const std::string marker = fresh_marker();
  const pid_t program = fork();
  if (program == 0) {
    const auto run = host::ChildProcesses().capture(marked(kFamily, marker));
    _exit(run ? 0 : 1);
  }
  REQUIRE(program > 0);
  CHECK(wait_for_marked(marker, kSleepers, Count::sleepers) == kSleepers);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  CHECK(wait_for_marked(marker, 0) == 0);
}

TEST_CASE("many children run at once from many threads") {
  std::vector<std::thread> threads;
  std::vector<std::string> outs(8);
  for (size_t i = 0; i < outs.size(); ++i) {
    threads.emplace_back([&outs, i] {
      for (int n = 0; n < 5; ++n) {
        const auto run = host::ChildProcesses().capture(shell("echo " + std::to_string(i)));
        if (run && run->exit.ok()) outs[i] += run->out;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < outs.size(); ++i) {
    std::string expected;
    for (int n = 0; n < 5; ++n) expected += std::to_string(i) + "\n";
    CHECK(outs[i] == expected);
  }
}
