#include "host/slurm/allocation_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "host/system/files.h"
#include "slurm/classify.h"
#include "slurm/job_result.h"
#include "slurm/script.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

using slurm::JobState;

constexpr std::chrono::seconds kPatience(120);

/// Never asked: the commands of an allocation use srun only.
class NoProcess final : public ports::Process {
 public:
  Result<ports::Captured> capture(const ports::Command& /*command*/) override {
    return fail(ErrorKind::internal, "unexpected command");
  }
  Result<ports::Exit> log(const ports::Command& /*command*/, const fs::path& /*log*/) override {
    return fail(ErrorKind::internal, "unexpected command");
  }
};

using Names = std::vector<std::string>;

/// The steps that srun runs: each lasts until the test ends it, or until it is stopped.
class FakeSteps {
 public:
  host::StoppableProcess run() {
    return [this](const ports::Command& command, const std::stop_token& stop) {
      return wait_for_end(command, stop);
    };
  }

  /// Waits until exactly these steps run; they are named by their logs. Returns those that run:
  /// with an error others, after a time that no test without an error takes.
  Names until_running(const Names& expected) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return running_ == expected; });
    return running_;
  }

  void end(const std::string& step, int code, std::string errors = {}) {
    const std::scoped_lock lock(mutex_);
    ends_[step] = ports::Captured{{.code = code}, "", std::move(errors)};
    changed_.notify_all();
  }

 private:
  Result<ports::Captured> wait_for_end(const ports::Command& command, const std::stop_token& stop) {
    const std::string name = name_of(command);
    std::unique_lock lock(mutex_);
    running_.push_back(name);
    std::ranges::sort(running_);
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return ends_.contains(name); });
    std::erase(running_, name);
    changed_.notify_all();
    if (ends_.contains(name)) return ends_[name];
    return ports::Captured{{.code = 137}, "", "srun: forcing job termination\n"};
  }

  /// "a.0" of "--output=/DIRECTORY/logs/a.0.out".
  static std::string name_of(const ports::Command& command) {
    for (const std::string& word : command.argv) {
      if (word.starts_with("--output=")) return fs::path(word).stem().string();
    }
    return "";
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  Names running_;
  std::map<std::string, ports::Captured> ends_;
};

/// An allocation of three cores on two nodes.
struct AllocationWorld {
  Scratch scratch;
  host::LocalFiles files;
  NoProcess process;
  FakeSteps steps;
  std::optional<host::AllocationCommands> commands;

  AllocationWorld() {
    fs::create_directories(scratch.path() / "logs");
    commands.emplace(files, process, steps.run(), std::map<std::string, std::string>{},
                     slurm::Allocation{.job = "17", .nodes = {"n1", "n2"}, .node_cores = {2, 1}});
  }

  std::string submit(const std::string& submission, const std::vector<int>& indexes,
                     const std::string& dependency = "", int cores = 1) {
    slurm::JobArray array;
    array.request.cores = cores;
    for (const int index : indexes) array.elements[index] = {"token", "build:a"};
    const fs::path script = scratch.path() / (submission + ".sh");
    std::ofstream(script) << slurm::script_of(
        array, submission, {scratch.path().string(), "/p", "/", {}, {}}, indexes);
    const Result<host::Submitted> submitted = commands->submit(script.string(), dependency);
    REQUIRE(submitted);
    return submitted->array;
  }

  void check_running(const Names& names) { CHECK(steps.until_running(names) == names); }

  JobState state(const std::string& submission, int index) {
    return commands->list(std::chrono::seconds(1))->at({submission, index}).state;
  }
  /// Waits for the end of an element, which a thread reports.
  JobState end_of(const std::string& submission, int index) {
    const auto limit = std::chrono::steady_clock::now() + kPatience;
    JobState now = state(submission, index);
    while (!slurm::has_ended(now) && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      now = state(submission, index);
    }
    return now;
  }
};

}  // namespace

TEST_CASE("as many steps run as the allocation has cores, in their order") {
  AllocationWorld world;
  CHECK(world.submit("a", {0, 1, 2, 3}) == "1");
  world.check_running({"a.0", "a.1", "a.2"});
  CHECK(world.state("a", 3) == JobState::pending);
  world.steps.end("a.1", 0);
  CHECK(world.end_of("a", 1) == JobState::completed);
  world.check_running({"a.0", "a.2", "a.3"});
}

TEST_CASE("a step that requests more than a node has starts anyway") {
  AllocationWorld world;
  world.submit("a", {0}, "", 9);
  world.check_running({"a.0"});
}

TEST_CASE("an element starts after the elements that it needs, or never") {
  AllocationWorld world;
  const std::string first = world.submit("a", {0, 1});
  world.submit("b", {0, 1}, "aftercorr:" + first);
  world.submit("c", {0}, "afterok:" + first + "_0:" + first + "_1");
  world.check_running({"a.0", "a.1"});
  world.steps.end("a.0", 0);
  world.check_running({"a.1", "b.0"});
  world.steps.end("a.1", 2, "srun: error: n1: task 0: Exited with exit code 2\n");
  CHECK(world.end_of("a", 1) == JobState::failed);
  CHECK(world.end_of("b", 1) == JobState::cancelled);
  CHECK(world.end_of("c", 0) == JobState::cancelled);
  const std::optional<slurm::Job> never = world.commands->describe("3_0");
  REQUIRE(never);
  CHECK(slurm::classify_slurm(*never, "").end == slurm::JobEnd::dependency_failed);
  world.check_running({"b.0"});
}

TEST_CASE("a canceled element ends, and others continue") {
  AllocationWorld world;
  const std::string array = world.submit("a", {0, 1, 2, 3});
  world.check_running({"a.0", "a.1", "a.2"});
  REQUIRE(world.commands->cancel({array + "_0", array + "_3", "9_9"}));
  CHECK(world.end_of("a", 0) == JobState::cancelled);
  CHECK(world.state("a", 3) == JobState::cancelled);
  world.check_running({"a.1", "a.2"});
}

TEST_CASE("srun's errors are in the log of the step, and decide its state") {
  AllocationWorld world;
  world.submit("a", {0});
  world.check_running({"a.0"});
  world.steps.end("a.0", 137, "srun: error: n1: task 0: Out Of Memory\n");
  CHECK(world.end_of("a", 0) == JobState::out_of_memory);
  std::ostringstream log;
  log << std::ifstream(world.scratch.path() / "logs" / "a.0.out").rdbuf();
  CHECK(log.str() == "srun: error: n1: task 0: Out Of Memory\n");
}

TEST_CASE("steps end with the commands") {
  AllocationWorld world;
  world.submit("a", {0, 1, 2, 3, 4});
  world.check_running({"a.0", "a.1", "a.2"});
  world.commands.reset();
  CHECK(world.steps.until_running({}).empty());
}

TEST_CASE("a text that is no script of jobs is refused") {
  AllocationWorld world;
  const fs::path file = world.scratch.path() / "x.sh";
  std::ofstream(file) << "#!/bin/bash\ntrue\n";
  CHECK_FALSE(world.commands->submit(file.string(), ""));
  CHECK_FALSE(world.commands->submit((world.scratch.path() / "none.sh").string(), ""));
}

TEST_CASE("a step that may not start fails with the reason, and what needs it never starts") {
  AllocationWorld world;
  fs::create_directories(world.scratch.path() / "results");
  world.commands.emplace(world.files, world.process, world.steps.run(),
                         std::map<std::string, std::string>{},
                         slurm::Allocation{.job = "17", .nodes = {"n1"}, .node_cores = {1}},
                         [](const std::string& step) -> Done {
                           return fail(ErrorKind::timeout, step + " takes too long", "wait");
                         });
  const std::string first = world.submit("a", {0});
  world.submit("b", {0}, "aftercorr:" + first);
  CHECK(world.state("a", 0) == JobState::failed);
  CHECK(world.state("b", 0) == JobState::cancelled);
  std::ostringstream text;
  text << std::ifstream(world.scratch.path() / "results" / "token.json").rdbuf();
  const Result<slurm::JobResult> result = slurm::parse_job_result(text.str(), "token", "build:a");
  REQUIRE(result);
  REQUIRE(result->outcome);
  CHECK(result->outcome->error->kind == ErrorKind::timeout);
  CHECK(result->outcome->error->message == "build:a takes too long");
}

TEST_CASE("a step whose srun cannot be run ends, and the others run") {
  AllocationWorld world;
  const auto run = [](const ports::Command& command, const std::stop_token&) {
    if (command.argv.back().ends_with("bad.sh")) throw std::runtime_error("no memory");
    return Result<ports::Captured>(ports::Captured{});
  };
  world.commands.emplace(world.files, world.process, run, std::map<std::string, std::string>{},
                         slurm::Allocation{.job = "17", .nodes = {"n1"}, .node_cores = {1}});
  world.submit("bad", {0});
  world.submit("good", {0, 1});
  CHECK(world.end_of("bad", 0) == JobState::launch_failed);
  CHECK(world.end_of("good", 0) == JobState::completed);
  CHECK(world.end_of("good", 1) == JobState::completed);
}

TEST_CASE("many elements end, each after the one that it needs") {
  AllocationWorld world;
  std::vector<int> all(300);
  std::iota(all.begin(), all.end(), 0);
  std::mutex mutex;
  std::vector<std::string> order;
  const auto run = [&](const ports::Command& command, const std::stop_token&) {
    const std::scoped_lock lock(mutex);
    for (const std::string& word : command.argv) {
      if (word.starts_with("--output=")) order.push_back(fs::path(word).stem().string());
    }
    return Result<ports::Captured>(ports::Captured{});
  };
  world.commands.emplace(world.files, world.process, run, std::map<std::string, std::string>{},
                         slurm::Allocation{.job = "17", .nodes = {"n1"}, .node_cores = {4}});
  const std::string first = world.submit("a", all);
  world.submit("b", all, "aftercorr:" + first);
  for (const int index : all) {
    CHECK(world.end_of("a", index) == JobState::completed);
    CHECK(world.end_of("b", index) == JobState::completed);
  }
  world.commands.reset();
  REQUIRE(order.size() == 600);
  const auto place = [&](const std::string& name) { return std::ranges::find(order, name); };
  for (const int index : all) {
    CHECK(place(fmt::format("a.{}", index)) < place(fmt::format("b.{}", index)));
  }
}
