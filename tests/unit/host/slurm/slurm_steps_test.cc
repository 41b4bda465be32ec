#include <limits>

#include "unit/host/slurm/slurm_world.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using test::SlurmWorld;

namespace {

/// The commands in a job, whose own steps are none here.
class StepCommands final : public host::SlurmCommands {
 public:
  using host::SlurmCommands::SlurmCommands;
  Result<slurm::Listing> list(std::chrono::milliseconds /*limit*/) const override {
    return slurm::Listing();
  }
};

/// A caller in job 17 on the host "n1".
struct StepsWorld : SlurmWorld {
  StepCommands steps_commands{cluster, {}};

  std::unique_ptr<host::SlurmExecutor> inside() {
    host::SlurmSetup made = setup();
    made.allocation = "17";
    made.host = "n1";
    return std::make_unique<host::SlurmExecutor>(
        std::move(made), host::SlurmPorts{directory, steps_commands, store, clock, local});
  }

  /// A claim of a caller in that job, a minute old.
  void claim(const std::string& host, int64_t process) {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch());
    REQUIRE(directory.claim(job(0).token, {"abc", 0, now.count() - 60, "17", host, process}));
  }
};

}  // namespace

TEST_CASE("the step of another caller in the same job is waited for while the job lives") {
  StepsWorld world;
  world.claim("n2", 1);
  world.cluster.other_jobs = {"17"};
  const bool within = GENERATE(true, false);
  const auto executor = within ? world.inside() : world.executor();
  executor->submit({world.job(0)});
  CHECK_FALSE(world.next_end(*executor, 100s));
  SECTION("it ends well") {
    world.finish(world.job(0).token, "build:a");
    CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
  }
  SECTION("the job ends") {
    world.cluster.other_jobs = {};
    CHECK(world.next_end(*executor)->state == run::StepJobState::lost);
  }
  SECTION("nothing is concluded while the controller does not answer") {
    world.cluster.other_jobs = {};
    world.cluster.answers = false;
    CHECK_FALSE(world.next_end(*executor, 100s));
  }
}

TEST_CASE("the step of a caller that has ended is lost, although its job lives") {
  StepsWorld world;
  world.cluster.other_jobs = {"17"};
  world.claim("n1", std::numeric_limits<int>::max());
  const auto executor = world.inside();
  executor->submit({world.job(0)});
  const auto end = world.next_end(*executor, 5s);
  REQUIRE(end);
  CHECK(end->state == run::StepJobState::lost);
}

TEST_CASE("a caller in a job waits for the jobs of one outside, and leaves them alone") {
  StepsWorld world;
  world.executor()->submit({world.job(0)});
  REQUIRE(world.cluster.submissions == 1);
  const auto executor = world.inside();
  run::StepJob test = world.job(1);
  test.after = {world.job(0).token};
  executor->submit({world.job(0), test});
  CHECK_FALSE(world.next_end(*executor, 100s));
  // Its own steps cannot depend on them.
  CHECK(world.cluster.submissions == 1);
  SECTION("it succeeds") {
    world.finish(world.job(0).token, "build:a");
    CHECK(world.next_end(*executor)->state == run::StepJobState::succeeded);
    CHECK_FALSE(world.next_end(*executor, 5s));
    CHECK(world.cluster.submissions == 2);
    CHECK(world.cluster.dependencies.empty());
  }
  SECTION("somebody cancels it") {
    world.cluster.set_all("CANCELLED");
    CHECK(world.next_end(*executor)->state == run::StepJobState::canceled);
  }
  SECTION("this caller is interrupted") {
    executor->cancel({world.job(0).token, test.token});
    CHECK(world.cluster.elements.at({"100", 0}).state == "RUNNING");
    CHECK(world.executor()->token_of("contract", "build:a", 1) == world.job(0).token);
  }
}
