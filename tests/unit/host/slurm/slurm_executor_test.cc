#include <fmt/format.h>

#include <fstream>

#include "unit/host/slurm/slurm_world.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using test::SlurmWorld;
using test::write_result;

TEST_CASE("jobs are arrays whose dependencies are those of their steps") {
  SlurmWorld world;
  const auto executor = world.executor();
  run::StepJob test = world.job(1);
  test.after = {world.job(0).token};
  executor->submit({world.job(0), test});
  CHECK(world.cluster.submissions == 2);
  CHECK(world.cluster.dependencies == std::vector<std::string>{"afterok:100_0"});
  world.finish(world.job(0).token, "build:a");
  world.finish(test.token, "test:a");
  CHECK(world.next_end(*executor)->step == "build:a");
  CHECK(world.next_end(*executor)->step == "test:a");
}

TEST_CASE("another caller of a plan, or a later one, finds the jobs and submits none") {
  SlurmWorld world;
  {
    const auto killed = world.executor();
    killed->submit({world.job(0)});
  }
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
  const auto other = world.executor();
  other->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
  CHECK(world.next_end(*other)->state == run::StepJobState::succeeded);
}

TEST_CASE("a job that Slurm does not know is lost after the grace period, without a result") {
  SlurmWorld world;
  world.cluster.forgets = true;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  CHECK_FALSE(world.next_end(*executor, 8s));
  SECTION("it has none") {
    const auto end = world.next_end(*executor);
    REQUIRE(end);
    CHECK(end->state == run::StepJobState::lost);
    CHECK(end->result.error().kind == ErrorKind::transient);
    CHECK(world.executor()->token_of("contract", "build:a", 1) == world.job(0, 2).token);
  }
  SECTION("it ran after all") {
    world.finish(world.job(0).token, "build:a");
    CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
    CHECK(world.executor()->token_of("contract", "build:a", 1) == world.job(0, 1).token);
  }
  SECTION("nothing is lost while the controller does not answer") {
    world.cluster.answers = false;
    CHECK_FALSE(world.next_end(*executor, 100s));
  }
}

TEST_CASE("a rerun long after a lost submission does not wait for it again") {
  SlurmWorld world;
  world.cluster.forgets = true;
  world.executor()->submit({world.job(0)});
  world.clock.move_to(world.clock.steady() + 60s);
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  const auto end = world.next_end(*executor, 2s);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::lost);
}

TEST_CASE("a result that cannot be read, or whose files no store has, is lost") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  SECTION("text of somebody else") {
    std::ofstream(world.directory.path() / "results" / (world.job(0).token + ".json")) << "{}";
  }
  SECTION("no files") {
    plan::StepOutcome outcome;
    outcome.id = "build:a";
    outcome.outputs = {{"/node/out/a.whl", std::string(64, 'a'), 2}};
    write_result(world.directory.path(), world.job(0).token, 0, outcome);
  }
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::lost);
  CHECK_FALSE(end->result);
}

TEST_CASE("a build that was stopped before the end of its job is continued by the next") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  plan::StepOutcome outcome;
  outcome.id = "build:a";
  outcome.state = plan::StepState::unfinished;
  outcome.error = Error{ErrorKind::unfinished, "it was stopped"};
  write_result(world.directory.path(), world.job(0).token, 8, outcome);
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::unfinished);
  CHECK(end->result.error().kind == ErrorKind::unfinished);
  // The next caller submits another job, too.
  CHECK(world.executor()->token_of("contract", "build:a", 1) == world.job(0, 2).token);
}

TEST_CASE("a job whose pinwheel ran nothing says where its words are") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  const auto ended_with = [&](int code) {
    std::ofstream(world.directory.path() / "results" / (world.job(0).token + ".json"))
        << fmt::format(R"({{"schema":"pinwheel-job/1","token":"{}","exit_code":{},"report":null}})",
                       world.job(0).token, code);
    return world.next_end(*executor);
  };
  SECTION("the checkout differs") {
    const auto end = ended_with(7);
    REQUIRE(end);
    CHECK(end->state == run::StepJobState::failed);
    CHECK(end->result.error().hint.find("/logs/") != std::string::npos);
  }
  SECTION("the result of a need is missing: it started too early") {
    CHECK(ended_with(exit_code(ErrorKind::check))->state == run::StepJobState::dependency_failed);
  }
}

TEST_CASE("what Slurm says about a job without a result is not a failure of its step") {
  struct Case {
    const char* state;
    const char* reason;
    run::StepJobState expected;
    ErrorKind kind;
  };
  const Case one = GENERATE(
      Case{"TIMEOUT", "TimeLimit", run::StepJobState::time_limit, ErrorKind::timeout},
      Case{"NODE_FAIL", "None", run::StepJobState::node_failure, ErrorKind::transient},
      Case{"PREEMPTED", "None", run::StepJobState::preempted, ErrorKind::transient},
      Case{"OUT_OF_MEMORY", "None", run::StepJobState::out_of_memory, ErrorKind::out_of_memory},
      Case{"CANCELLED", "None", run::StepJobState::canceled, ErrorKind::transient},
      Case{"FAILED", "NonZeroExitCode", run::StepJobState::lost, ErrorKind::transient},
      Case{"CANCELLED", "DependencyNeverSatisfied", run::StepJobState::dependency_failed,
           ErrorKind::transient});
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all(one.state, one.reason);
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == one.expected);
  REQUIRE_FALSE(end->result);
  CHECK(end->result.error().kind == one.kind);
}

TEST_CASE("a job that can never start is canceled, and says why") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("PENDING", "PartitionTimeLimit");
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::failed);
  CHECK(end->result.error().kind == ErrorKind::environment);
  CHECK(end->result.error().message.find("PartitionTimeLimit") != std::string::npos);
  CHECK(world.cluster.elements.at({"100", 0}).state == "CANCELLED");
}

TEST_CASE("a held job waits, and one warning says so") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.set_all("PENDING", "JobHeldUser");
  CHECK_FALSE(world.next_end(*executor, 20s));
  REQUIRE(world.warnings.size() == 1);
  CHECK(world.warnings[0].hint.find("scontrol release 100_0") != std::string::npos);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
}

TEST_CASE("a job waits for its partition, and for a node that could not start it") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  for (const char* const reason : {"PartitionDown", "launch_failed_requeued_held"}) {
    world.cluster.set_all("PENDING", reason);
    CHECK_FALSE(world.next_end(*executor, 20s));
  }
  REQUIRE(world.warnings.size() == 2);
  CHECK(world.warnings[0].message.find("PartitionDown") != std::string::npos);
  CHECK(world.warnings[1].hint.find("scontrol release 100_0") != std::string::npos);
  world.finish(world.job(0).token, "build:a");
  CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
}

TEST_CASE("a refused submission fails with the words of sbatch, and can be repeated") {
  SlurmWorld world;
  world.cluster.refusal = "invalid partition specified: nope\x1b[31m";
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  const auto end = world.next_end(*executor);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::failed);
  const Error& error = end->result.error();
  CHECK(error.kind == ErrorKind::environment);
  CHECK(error.message.find("invalid partition specified: nope") != std::string::npos);
  CHECK(error.message.find('\x1b') == std::string::npos);
  CHECK(error.hint.find("sinfo") != std::string::npos);
  world.cluster.refusal.clear();
  const auto again = world.executor();
  again->submit({world.job(0)});
  CHECK(world.cluster.submissions == 1);
}

TEST_CASE("a submission without an answer is neither repeated nor given up at once") {
  SlurmWorld world;
  world.cluster.answers = false;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  world.cluster.answers = true;
  CHECK_FALSE(world.next_end(*executor, 8s));
  CHECK(world.next_end(*executor)->state == run::StepJobState::lost);
  CHECK(world.cluster.submissions == 0);
}

TEST_CASE("jobs are canceled by the ids that the controller knows now") {
  SlurmWorld world;
  const auto executor = world.executor();
  executor->submit({world.job(0)});
  executor->cancel({world.job(0).token});
  CHECK(world.cluster.elements.at({"100", 0}).state == "CANCELLED");
  CHECK(world.warnings.empty());
  CHECK(world.next_end(*executor)->state == run::StepJobState::canceled);
}

TEST_CASE("the executor of Slurm satisfies the contract of executors") {
  SlurmWorld world;
  test::check_contract([&]() -> std::unique_ptr<run::Executor> { return world.executor(); });
}
