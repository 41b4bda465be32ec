#include "prepare/time_left.h"

#include "fakes/fake_host.h"
#include "prepare/host.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::system_clock::time_point kEnd{1'800'000'000s};

TEST_CASE("the end of a job comes from its variables, else from scontrol") {
  fakes::FakeHost fake;
  // Helper programs see no variables of Slurm.
  const OpenMachine machine = fake.host.machine(outside_run(fake.host, ports::no_log()));
  const auto end = [&] { return find_job_end(*machine, fake.host.variables); };
  CHECK_FALSE(end());
  fake.host.variables["SLURM_JOB_ID"] = "19";
  fake.host.variables["SLURMD_NODENAME"] = "n1";
  fake.host.variables["SLURM_CONF"] = "/etc/slurm.conf";
  fake.process.run = [](const ports::Command& command) -> Result<ports::Captured> {
    CHECK(command.argv == std::vector<std::string>{"scontrol", "show", "job", "--oneliner", "19"});
    CHECK(command.environment.at("SLURM_TIME_FORMAT") == "%s");
    CHECK(command.environment.at("SLURM_CONF") == "/etc/slurm.conf");
    return ports::Captured{{},
                           "JobId=18 ArrayJobId=18 ArrayTaskId=1 JobName=a JobState=RUNNING "
                           "ExitCode=0:0 EndTime=1 NodeList=n1\n"
                           "JobId=19 ArrayJobId=18 ArrayTaskId=0 JobName=a JobState=RUNNING "
                           "ExitCode=0:0 EndTime=1800000000 NodeList=n1\n",
                           ""};
  };
  REQUIRE(end());
  CHECK(end()->job == "19");
  CHECK(end()->at == kEnd);
  fake.process.run = [](const ports::Command&) -> Result<ports::Captured> {
    return ports::Captured{{.code = 1}, "", "Invalid job id specified"};
  };
  CHECK_FALSE(end());
  fake.host.variables["SLURM_JOB_END_TIME"] = "1800000000";
  REQUIRE(end());
  CHECK(end()->at == kEnd);
}

TEST_CASE("only a step that is known to take too long is refused") {
  plan::Step step;
  step.id = "build:cpu";
  step.predicted_seconds = 60;
  step.prediction = plan::Prediction::measured;
  CHECK(check_ends_in_time(step, std::nullopt, kEnd));
  CHECK(check_ends_in_time(step, JobEnd{"19", kEnd}, kEnd - 61s));
  CHECK_FALSE(check_ends_in_time(step, JobEnd{"19", kEnd}, kEnd - 59s));
}

}  // namespace
}  // namespace pinwheel::prepare
