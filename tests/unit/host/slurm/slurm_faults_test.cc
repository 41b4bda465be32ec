#include <fstream>
#include <stop_token>

#include "unit/host/slurm/slurm_world.h"
#include "unit/host/store/stored.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using test::SlurmWorld;
using test::write_result;
namespace fs = std::filesystem;

namespace {

/// Builds without dependencies: "build:0", "build:1".
void add_builds(SlurmWorld& world, size_t count) {
  world.steps.resize(count);
  for (size_t i = 0; i < count; ++i) {
    world.steps[i].id = "build:" + std::to_string(i);
    world.steps[i].action = plan::BuildWheel{};
  }
}

std::vector<run::StepJob> all_jobs(SlurmWorld& world) {
  std::vector<run::StepJob> jobs;
  for (size_t i = 0; i < world.steps.size(); ++i) jobs.push_back(world.job(i));
  return jobs;
}

/// The token of a step's first submission by a later caller.
std::string next_token(SlurmWorld& world) {
  return world.executor()->token_of("contract", "build:a", 1);
}

}  // namespace

TEST_CASE("a later caller finds the jobs that a canceled run could not cancel") {
  SlurmWorld world;
  const auto executor = world.executor();
  SECTION("the controller does not answer") {
    executor->submit({world.job(0)});
    world.cluster.answers = false;
    executor->cancel({world.job(0).token});
    REQUIRE(world.warnings.size() == 1);
    CHECK(world.warnings[0].hint.find("squeue --me") != std::string::npos);
    world.cluster.answers = true;
  }
  SECTION("the controller does not list it yet") {
    world.cluster.forgets = true;
    executor->submit({world.job(0)});
    executor->cancel({world.job(0).token});
  }
  SECTION("it has ended, and its result is not visible yet") {
    executor->submit({world.job(0)});
    world.cluster.set_all("COMPLETED");
    executor->cancel({world.job(0).token});
    CHECK(world.cluster.count("scancel") == 0);
  }
  CHECK(world.next_end(*executor)->state == run::StepJobState::canceled);
  CHECK(next_token(world) == world.job(0).token);
  const auto later = world.executor();
  later->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*later)->state == run::StepJobState::succeeded);
}

TEST_CASE("a later caller submits a job that was canceled again") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  executor->cancel({world.job(0).token});
  CHECK(next_token(world) == world.job(0, 2).token);
}

TEST_CASE("many jobs are canceled by one id for each array") {
  SlurmWorld world;
  add_builds(world, 5);
  const auto executor = world.executor();
  executor->submit(all_jobs(world));
  executor->cancel(
      {world.job(0).token, world.job(1).token, world.job(2).token, world.job(4).token});
  CHECK(world.cluster.commands.back() == "scancel --full 100_[0-2,4]");
  CHECK(world.cluster.elements.at({"100", 3}).state == "RUNNING");
  CHECK(world.cluster.elements.at({"100", 4}).state == "CANCELLED");
}

TEST_CASE("jobs that sbatch refuses for now are submitted later, and one warning says so") {
  SlurmWorld world;
  world.cluster.refusal = GENERATE(
      "Batch job submission failed: Required partition not available (inactive or drain)",
      "Slurm temporarily unable to accept job, sleeping and retrying",
      "Batch job submission failed: Slurm backup controller in standby mode",
      "Munge encode failed: Failed to access \"/run/munge/munge.socket.2\": No such file",
      "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's "
      "size and/or time limits)");
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK_FALSE(world.next_end(*executor, 300s));
  CHECK(world.cluster.submissions == 0);
  CHECK(world.warnings.size() == 1);
  CHECK(world.directory.claimed().empty());
  world.cluster.refusal.clear();
  CHECK_FALSE(world.next_end(*executor, 120s));
  CHECK(world.cluster.submissions == 1);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
}

TEST_CASE("a job that exceeds a limit of its own is refused for good") {
  SlurmWorld world;
  world.cluster.refusal =
      "QOSMaxCpuPerJobLimit\nsbatch: error: Batch job submission failed: Job violates "
      "accounting/QOS policy (job submit limit, user's size and/or time limits)";
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK(world.next_end(*executor)->result.error().kind == ErrorKind::environment);
}

TEST_CASE("an array with more elements than a user may have is submitted in parts") {
  SlurmWorld world;
  add_builds(world, 9);
  world.cluster.room = 2;
  const auto executor = world.executor();
  executor->submit(all_jobs(world));
  std::set<std::string> done;
  for (int i = 0; i < 100 && done.size() < 9; ++i) {
    for (auto& [key, element] : world.cluster.elements) {
      if (element.state != "RUNNING") continue;
      world.finish(element.token, element.step);
      element.state = "COMPLETED";
    }
    if (const auto end = world.next_end(*executor, 60s)) {
      CHECK(end->state == run::StepJobState::succeeded);
      done.insert(end->step);
    }
  }
  CHECK(done.size() == 9);
  CHECK(world.warnings.size() == 1);
}

TEST_CASE("a signal is reported before more is asked of a controller") {
  SlurmWorld world;
  add_builds(world, 3);
  std::stop_source stop;
  host::SlurmSetup setup = world.setup();
  setup.stop = stop.get_token();
  const auto executor = world.executor(std::move(setup));
  const auto signal_at = [&](const std::string& command) {
    world.cluster.on_command = [&, command](const std::string& program) {
      if (program != command || stop.stop_requested()) return;
      world.local.interrupt_at = world.clock.steady();
      stop.request_stop();
    };
  };
  SECTION("while jobs are submitted") {
    signal_at("sbatch");
    world.steps[1].action = plan::TestWheel{};
    world.steps[1].id = "test:1";
    executor->submit(all_jobs(world));
    CHECK(world.cluster.count("sbatch") == 1);
  }
  SECTION("while failed jobs are described") {
    executor->submit(all_jobs(world));
    world.cluster.set_all("FAILED", "NonZeroExitCode");
    signal_at("scontrol");
    world.clock.move_to(world.clock.steady() + 2s);
  }
  const run::Event event = executor->poll(world.clock.steady() + 60s);
  CHECK(std::holds_alternative<run::Interrupted>(event));
  CHECK(world.cluster.count("scontrol show job") <= 1);
  std::vector<std::string> tokens;
  for (const run::StepJob& job : all_jobs(world)) tokens.push_back(job.token);
  executor->cancel(tokens);
  for (size_t i = 0; i < tokens.size(); ++i) {
    CHECK(world.next_end(*executor)->state == run::StepJobState::canceled);
  }
  CHECK(std::holds_alternative<run::Deadline>(executor->poll(world.clock.steady() + 60s)));
}

TEST_CASE("a failed job is described once") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("FAILED", "NonZeroExitCode");
  CHECK(world.next_end(*executor)->state == run::StepJobState::lost);
  CHECK(world.cluster.count("scontrol show job") == 1);
}

TEST_CASE("a job that says itself that it has no result is lost at once") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("FAILED", "NonZeroExitCode");
  world.cluster.described =
      "JobId=100 ArrayJobId=100 ArrayTaskId=0 JobName=pinwheel-build\n"
      "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n"
      "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=75:0\n";
  const auto end = world.next_end(*executor, 5s);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::lost);
  CHECK(end->result.error().message.find("left no result") != std::string::npos);
}

TEST_CASE("a result that becomes visible after the end of its job counts") {
  const std::string state = GENERATE("OUT_OF_MEMORY", "TIMEOUT", "CANCELLED", "NODE_FAIL");
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all(state);
  CHECK_FALSE(world.next_end(*executor, 8s));
  SECTION("the controller knows the job") {
    world.finish(world.job(0).token, "build:a");
    CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
  }
  SECTION("the controller forgets the job meanwhile, and there is no result") {
    world.cluster.elements.clear();
    const auto end = world.next_end(*executor);
    REQUIRE(end);
    CHECK(end->state != run::StepJobState::lost);
    CHECK_FALSE(end->result);
  }
}

TEST_CASE(
    "a controller that does not answer for long causes one warning, and one more in the end") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.answers = false;
  CHECK_FALSE(world.next_end(*executor, 30s));
  CHECK(world.warnings.empty());
  CHECK_FALSE(world.next_end(*executor, 300s));
  REQUIRE(world.warnings.size() == 1);
  CHECK(world.warnings[0].message.find("squeue failed") != std::string::npos);
  CHECK(world.warnings[0].hint.find("scontrol ping") != std::string::npos);
  world.cluster.answers = true;
  CHECK_FALSE(world.next_end(*executor, 60s));
  REQUIRE(world.warnings.size() == 2);
  CHECK(world.warnings[1].message.find("answers again") != std::string::npos);
}

TEST_CASE("a rerun requests what an earlier run lacked") {
  SlurmWorld world;
  host::SlurmSetup setup = world.setup();
  setup.settings.build.memory = uint64_t{100} << 20U;
  setup.settings.build.time = 10min;
  world.directory.mark_ended(world.job(0, 1).token, "out-of-memory");
  world.directory.mark_ended(world.job(0, 2).token, "node-failure");
  world.directory.mark_ended(world.job(0, 3).token, "time-limit");
  const auto executor = world.executor(std::move(setup));
  CHECK(executor->token_of("contract", "build:a", 1) == world.job(0, 4).token);
  executor->submit({world.job(0, 4)});
  REQUIRE(world.cluster.scripts.size() == 1);
  CHECK(world.cluster.scripts[0].find("--mem=\"200M\"") != std::string::npos);
  CHECK(world.cluster.scripts[0].find("--time=\"20\"") != std::string::npos);
  // Eight times is the most.
  CHECK(executor->can_grow(world.steps[0], run::StepJobState::out_of_memory, {1, 0}));
  CHECK_FALSE(executor->can_grow(world.steps[0], run::StepJobState::out_of_memory, {2, 0}));
}

TEST_CASE("the files of a result may appear in the store later") {
  SlurmWorld world;
  std::vector<host::StorePlace> places;
  places.push_back({tree_at(world.scratch.path() / "store"), store::PlaceAccess::read_write});
  host::Store store(std::move(places), {});
  host::SlurmSetup setup = world.setup();
  SECTION("and are fetched then") {}
  SECTION("and cannot be written here, which the next run can repair") {
    setup.output = world.scratch.write("file", "") / "out";
  }
  const bool can_be_written =
      setup.output.filename() == "out" && setup.output.parent_path() == world.scratch.path();
  host::SlurmExecutor executor(std::move(setup),
                               {world.directory, world.commands, store, world.clock, world.local});
  executor.submit({world.job(0)});
  plan::StepOutcome outcome;
  outcome.id = "build:a";
  outcome.outputs = {{"/node/out/a.whl", sha256_hex("wheel"), 5}};
  write_result(world.directory.path(), world.job(0).token, 0, outcome);
  if (can_be_written) CHECK_FALSE(world.next_end(executor, 5s));
  REQUIRE(tree_at(world.scratch.path() / "store")
              ->put({store::entry_address(store::Domain::branch, sha256_hex("k"))},
                    entry_of("k", {"wheel"}), files_of(world.scratch, {"wheel"})));
  const auto end = world.next_end(executor);
  REQUIRE(end);
  if (can_be_written) {
    CHECK(end->state == run::StepJobState::succeeded);
    CHECK(world.scratch.read("out/a.whl") == "wheel");
  } else {
    CHECK(end->state == run::StepJobState::failed);
    CHECK(end->result.error().kind == ErrorKind::environment);
  }
  CHECK(next_token(world) == world.job(0).token);
}

TEST_CASE("a claim that cannot be read is looked at again with the queue") {
  SlurmWorld world;
  const fs::path claim = world.directory.path() / "tokens" / world.job(0).token;
  fs::create_directory(claim);
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK_FALSE(world.next_end(*executor, 10s));
  CHECK(world.cluster.submissions == 0);
  fs::remove(claim);
  CHECK_FALSE(world.next_end(*executor, 60s));
  CHECK(world.cluster.submissions == 1);
}

TEST_CASE("a failed job has the time that Slurm recorded, or none") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("FAILED", "NonZeroExitCode");
  std::chrono::milliseconds expected{0};
  SECTION("known") {
    world.cluster.described =
        "JobId=100 ArrayJobId=100 ArrayTaskId=0 JobName=pinwheel-build\n"
        "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n"
        "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0\n"
        "   StartTime=1800000000 EndTime=1800000007\n";
    expected = 7s;
  }
  SECTION("unknown") {}
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  REQUIRE(end->record);
  CHECK(end->record->elapsed == expected);
}
