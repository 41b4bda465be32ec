#include "slurm/cluster.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

using namespace std::chrono_literals;

TEST_CASE("the release is read from each package's words") {
  CHECK(read_version("slurm-wlm 22.05.8\n") == "22.05.8");
  CHECK(read_version("slurm 23.02.6") == "23.02.6");
  CHECK(read_version("sbatch: error: no configuration").empty());
  CHECK(is_supported("20.11.9"));
  CHECK(is_supported("24.05.1"));
  CHECK_FALSE(is_supported("20.02.7"));
  CHECK_FALSE(is_supported("19.05.5"));
  CHECK_FALSE(is_supported("unknown"));
}

TEST_CASE("times of partitions are read in all forms") {
  CHECK(read_time("01:00:00") == 1h);
  CHECK(read_time("1-12:00:00") == 36h);
  CHECK(read_time("2-0") == 48h);
  CHECK(read_time("10:30") == 10min + 30s);
  CHECK(read_time("60") == 60min);
  CHECK_FALSE(read_time("UNLIMITED"));
  CHECK_FALSE(read_time(""));
  CHECK_FALSE(read_time("1-"));
}

// What scontrol 22.05 printed, shortened.
TEST_CASE("partitions and nodes are read from scontrol") {
  const std::vector<Partition> partitions = read_partitions(
      "PartitionName=all AllowGroups=ALL Default=YES QoS=N/A MaxTime=01:00:00 Nodes=n[1-2] "
      "State=UP "
      "TotalCPUs=4 TotalNodes=2 TRES=cpu=4,mem=4000M,node=2,billing=4\n"
      "PartitionName=old Default=NO MaxTime=UNLIMITED State=DOWN TotalNodes=0\n\n");
  REQUIRE(partitions.size() == 2);
  CHECK(partitions[0].name == "all");
  CHECK(partitions[0].up);
  CHECK(partitions[0].is_default);
  CHECK(partitions[0].longest == 1h);
  CHECK(partitions[0].nodes == 2);
  CHECK_FALSE(partitions[1].up);
  CHECK_FALSE(partitions[1].longest);
  const std::vector<ClusterNode> nodes = read_nodes(
      "NodeName=n1 Arch=x86_64 Gres=gpu:2 NodeAddr=127.0.0.1 Partitions=all,gpu  BootTime=1\n"
      "NodeName=n2 Gres=(null) Partitions=all RealMemory=4000 MemSpecLimit=500\n");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].gres == "gpu:2");
  CHECK(nodes[0].partitions == std::set<std::string>{"all", "gpu"});
  CHECK(nodes[1].gres.empty());
  CHECK(nodes[0].memory == 0);
  CHECK(nodes[1].memory == uint64_t{3500} << 20U);
  CHECK(read_config("MaxArraySize            = 1001\nSlurmctldHost[0] = vm(127.0.0.1)\nx\n")
            .at("MaxArraySize") == "1001");
}

TEST_CASE("what a job requests is compared with what a node has") {
  CHECK(provides("gpu:2", "gpu:1"));
  CHECK(provides("gpu:a100:2(S:0-1),shard:4", "gpu:2"));
  CHECK(provides("gpu:a100:2(S:0-1),gpu:h100:2(S:2,3)", "gpu:4"));
  CHECK(provides("gpu:a100:2(S:0,1),shard:4", "gpu:a100:1,shard:4"));
  CHECK(provides("gpu:1", "gpu"));
  CHECK(provides("", "none"));
  CHECK_FALSE(provides("gpu:2", "gpu:3"));
  CHECK_FALSE(provides("gpu:a100:2", "gpu:h100:1"));
  CHECK_FALSE(provides("", "gpu:1"));
}

// What the commands of 22.05 printed.
TEST_CASE("a controller that does not respond says why") {
  CHECK(ping_problem("Slurmctld(primary) at vm is DOWN\n***\n", "") ==
        "Slurmctld(primary) at vm is DOWN");
  CHECK(ping_problem("Slurmctld(primary) at vm is DOWN\n",
                     "scontrol: error: If munged is up, restart with --num-threads=10\n"
                     "scontrol: error: Munge encode failed: Failed to connect to \"/x\": "
                     "Connection refused\n") == "munge does not respond");
  CHECK(ping_problem("", "scontrol: fatal: Could not establish a configuration source\n") ==
        "no slurm.conf was found");
  CHECK(ping_problem("", "x: Protocol authentication error\n") == "authentication failed");
  CHECK(ping_problem("", "") == "no response in time");
}

TEST_CASE("variables that change the commands are found") {
  CHECK(overriding_variables({{"SBATCH_PARTITION", "x"},
                              {"SBATCH_ARRAY_INX", "1"},
                              {"SQUEUE_PARTITION", "x"},
                              {"SLURM_CONF", "y"},
                              {"PATH", "z"}}) == std::vector<std::string>{"SBATCH_PARTITION"});
}

TEST_CASE("commands see the caller's variables without those that are their options") {
  const std::map<std::string, std::string> variables = {
      {"PATH", "/bin"},          {"SLURM_CONF", "/c"},       {"SLURM_JWT", "token"},
      {"SLURM_JOB_ID", "17"},    {"SLURM_CLUSTERS", "x"},    {"SBATCH_PARTITION", "x"},
      {"SBATCH_REQUEUE", "1"},   {"SQUEUE_PARTITION", "x"},  {"SCANCEL_STATE", "PENDING"},
      {"SCONTROL_ALL", "1"},     {"SLURM_TIME_FORMAT", "x"}, {"SLURM_BITSTR_LEN", "9"},
      {"SACCT_FEDERATION", "1"}, {"SALLOC_QOS", "x"},        {"SLURM_HINT", "nomultithread"}};
  std::map<std::string, std::string> left = {{"PATH", "/bin"},
                                             {"SLURM_CONF", "/c"},
                                             {"SLURM_JWT", "token"},
                                             {"SLURM_JOB_ID", "17"},
                                             {"SLURM_TIME_FORMAT", "%s"}};
  CHECK(command_variables(variables, "squeue") == left);
  CHECK(command_variables(variables, "scontrol") == left);
  CHECK(command_variables(variables, "scancel") == left);
  left["SBATCH_PARTITION"] = "x";
  CHECK(command_variables(variables, "sbatch") == left);
}

}  // namespace
}  // namespace pinwheel::slurm
