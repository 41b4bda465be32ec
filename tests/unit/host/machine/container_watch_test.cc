#include "host/machine/container_watch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using host::ContainerUsage;
using host::ContainerWatch;

namespace {

namespace fs = std::filesystem;

const std::string kId(64, 'a');

/// A process that lives until `end` is called.
class WaitingProcess {
 public:
  WaitingProcess() {
    REQUIRE(::pipe(ends_.data()) == 0);
    number_ = ::fork();
    REQUIRE(number_ >= 0);
    if (number_ > 0) {
      ::close(ends_[0]);
      return;
    }
    ::close(ends_[1]);
    char byte = 0;
    ::_exit(::read(ends_[0], &byte, 1) == 0 ? 0 : 1);
  }
  ~WaitingProcess() { end(); }
  WaitingProcess(const WaitingProcess&) = delete;
  WaitingProcess& operator=(const WaitingProcess&) = delete;

  pid_t number() const { return number_; }

  void end() {
    if (ended_) return;
    ended_ = true;
    ::close(ends_[1]);
    ::waitpid(number_, nullptr, 0);
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
  pid_t number_ = -1;
  bool ended_ = false;
};

/// What the kernel would show of a machine.
struct Machine {
  Scratch scratch;

  Machine() {
    fs::create_directories(scratch.path() / "proc");
    fs::create_directories(scratch.path() / "groups");
    fs::create_directories(scratch.path() / "step");
  }

  fs::path step() const { return scratch.path() / "step"; }
  host::KernelPlaces places() const {
    return {(scratch.path() / "proc").string(), (scratch.path() / "groups").string()};
  }

  /// A process appears with all its files at once, as in /proc.
  void add_process(pid_t number, const std::string& numbers, const std::string& groups) const {
    const std::string name = std::to_string(number);
    scratch.write("new/" + name + "/status", "Name:\tmake\nNSpid:\t" + numbers + "\n");
    scratch.write("new/" + name + "/cgroup", groups);
    fs::rename(scratch.path() / "new" / name, scratch.path() / "proc" / name);
  }

  void count(const std::string& group, int bytes, int microseconds) const {
    scratch.write("groups" + group + "/memory.peak", std::to_string(bytes) + "\n");
    scratch.write("groups" + group + "/cpu.stat",
                  "usage_usec " + std::to_string(microseconds) + "\n");
  }
};

void write_id(const ContainerWatch& watch, const std::string& id) {
  std::ofstream(watch.id_file()) << id;
}

}  // namespace

TEST_CASE("a container is measured by the groups of its first process") {
  const Machine machine;
  WaitingProcess first;
  const std::string group = "/docker/" + kId;
  std::vector<pid_t> running;
  ContainerWatch watch(
      machine.step(), [&](pid_t number) { running.push_back(number); }, machine.places());
  machine.count(group, 4096, 100);
  machine.add_process(first.number(), std::to_string(first.number()) + "\t1", "0::" + group + "\n");
  write_id(watch, kId + "\n");
  SECTION("that still runs when the client has ended") {
    CHECK(watch.stop() == ContainerUsage{4096, 100us});
  }
  SECTION("that has ended before") {
    first.end();
    CHECK(watch.stop() == ContainerUsage{4096, 100us});
    // The watch has ended.
    machine.count(group, 8192, 200);
    CHECK(watch.stop() == ContainerUsage{4096, 100us});
  }
  CHECK(running == std::vector<pid_t>{first.number()});
}

TEST_CASE("a process that enters its group late is found") {
  const Machine machine;
  const WaitingProcess first;
  const std::string group = "/machine.slice/libpod-" + kId + ".scope";
  ContainerWatch watch(machine.step(), {}, machine.places());
  write_id(watch, kId);
  machine.add_process(first.number(), std::to_string(first.number()) + "\t1", "0::/\n");
  machine.count(group, 4096, 100);
  machine.scratch.write("proc/" + std::to_string(first.number()) + "/cgroup",
                        "0::" + group + "/container\n");
  CHECK(watch.stop() == ContainerUsage{4096, 100us});
}

TEST_CASE("other processes are not measured") {
  const Machine machine;
  const WaitingProcess other;
  const std::string number = std::to_string(other.number());
  const std::string own = "/docker/" + kId;
  machine.count(own, 4096, 100);
  SECTION("of another container") {
    const std::string foreign = "/docker/" + std::string(64, 'b');
    machine.count(foreign, 4096, 100);
    ContainerWatch watch(machine.step(), {}, machine.places());
    machine.add_process(other.number(), number + "\t1", "0::" + foreign + "\n");
    write_id(watch, kId);
    CHECK(watch.stop() == ContainerUsage{});
  }
  SECTION("of the engine, in a group with the id of the container") {
    ContainerWatch watch(machine.step(), {}, machine.places());
    machine.add_process(other.number(), number, "0::" + own + "\n");
    write_id(watch, kId);
    CHECK(watch.stop() == ContainerUsage{});
  }
  SECTION("that were there before") {
    machine.add_process(other.number(), number + "\t1", "0::" + own + "\n");
    ContainerWatch watch(machine.step(), {}, machine.places());
    write_id(watch, kId);
    CHECK(watch.stop() == ContainerUsage{});
  }
  SECTION("without a whole id") {
    ContainerWatch watch(machine.step(), {}, machine.places());
    machine.add_process(other.number(), number + "\t1", "0::" + own + "\n");
    write_id(watch, GENERATE("", "a", "/", "docker"));
    CHECK(watch.stop() == ContainerUsage{});
  }
  SECTION("without an id") {
    ContainerWatch watch(machine.step(), {}, machine.places());
    machine.add_process(other.number(), number + "\t1", "0::" + own + "\n");
    CHECK(watch.stop() == ContainerUsage{});
  }
}

TEST_CASE("the directory of the id is new, and removed with the watch") {
  const Machine machine;
  {
    const ContainerWatch one(machine.step(), {}, machine.places());
    const ContainerWatch other(machine.step(), {}, machine.places());
    CHECK(one.id_file() != other.id_file());
    CHECK_FALSE(fs::exists(one.id_file()));
    CHECK(fs::is_directory(one.id_file().parent_path()));
    write_id(one, kId);
  }
  CHECK(fs::is_empty(machine.step()));
  CHECK_THROWS_AS(ContainerWatch(machine.step() / "missing", {}, machine.places()),
                  std::system_error);
}

TEST_CASE("a machine that shows no processes measures nothing") {
  const Machine machine;
  ContainerWatch watch(machine.step(), {}, {(machine.scratch.path() / "none").string(), "/none"});
  write_id(watch, kId);
  CHECK(watch.stop() == ContainerUsage{});
}
