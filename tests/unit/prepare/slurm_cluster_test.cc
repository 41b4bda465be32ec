#include "prepare/slurm_cluster.h"

#include "fakes/fake_host.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

using namespace std::chrono_literals;

/// Answers as a cluster of two nodes does, and records the variables of each command.
struct FakeCluster {
  fakes::FakeHost fake;
  std::vector<std::map<std::string, std::string>> seen = {};
  bool responds = true;

  FakeCluster() {
    fake.process.run = [this](const ports::Command& command) -> Result<ports::Captured> {
      seen.push_back(command.environment);
      ports::Captured ran;
      if (!responds) ran.exit.code = 1;
      if (!responds || command.argv.at(0) != "scontrol") return ran;
      if (command.argv.at(2) == "partition") {
        ran.out = "PartitionName=all Default=YES MaxTime=02:00:00 State=UP TotalNodes=2\n";
      } else if (command.argv.at(2) == "node") {
        ran.out =
            "NodeName=n1 Partitions=all RealMemory=1000\n"
            "NodeName=n2 Partitions=all RealMemory=4000 MemSpecLimit=500\n";
      }
      return ran;
    };
  }

  slurm::SlurmSettings limits() {
    const OpenMachine machine = fake.host.machine(outside_run(fake.host, ports::no_log()));
    return within_limits(fake.host, *machine, {});
  }
};

}  // namespace

TEST_CASE("a test job needs the executor of a cluster") {
  CHECK(check_test_job("slurm"));
  for (const char* const executor : {"", "local"}) {
    const Done refused = check_test_job(executor);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::usage);
    CHECK(refused.error().message == "`--test-job` needs `--executor slurm`");
  }
}

TEST_CASE("requests grow within the limits of the cluster") {
  FakeCluster cluster;
  const slurm::SlurmSettings settings = cluster.limits();
  CHECK(settings.build.time_limit == 2h);
  CHECK(settings.test.memory_limit == uint64_t{3500} << 20U);
  cluster.responds = false;
  CHECK(cluster.limits().build == slurm::JobSettings{});
}

TEST_CASE("commands of Slurm see the caller's configuration, and no options in variables") {
  FakeCluster cluster;
  cluster.fake.host.variables["SLURM_CONF"] = "/etc/slurm.conf";
  cluster.fake.host.variables["SLURM_CLUSTERS"] = "other";
  static_cast<void>(cluster.limits());
  REQUIRE(cluster.seen.size() == 2);
  for (const auto& variables : cluster.seen) {
    CHECK(variables.at("SLURM_CONF") == "/etc/slurm.conf");
    CHECK_FALSE(variables.contains("SLURM_CLUSTERS"));
  }
}

TEST_CASE("in a job of Slurm, requests grow within this job, and the cluster is not asked") {
  FakeCluster cluster;
  cluster.fake.host.variables = {
      {"SLURM_JOB_ID", "17"}, {"SLURMD_NODENAME", "n1"}, {"SLURM_MEM_PER_NODE", "600"}};
  CHECK(cluster.limits().build.memory_limit == uint64_t{600} << 20U);
  CHECK(cluster.seen.empty());
}

}  // namespace pinwheel::prepare
