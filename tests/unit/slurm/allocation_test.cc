#include "slurm/allocation.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

using Names = std::vector<std::string>;

// As srun printed them in a job of two CPUs and 200 MB on n2 of three nodes.
const std::map<std::string, std::string> kVariables = {
    {"SLURM_JOB_ID", "17"},           {"SLURMD_NODENAME", "n2"},
    {"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_JOB_CPUS_PER_NODE", "2(x2),1"},
    {"SLURM_MEM_PER_NODE", "200"},
};

TEST_CASE("a list of hosts is expanded as scontrol does") {
  CHECK(expand_hosts("n[1-3,07],m1") == Names{"n1", "n2", "n3", "n07", "m1"});
  CHECK(expand_hosts("gpu-a[098-101]") == Names{"gpu-a098", "gpu-a099", "gpu-a100", "gpu-a101"});
  CHECK(expand_hosts("r[1-2]n[0-1]x") == Names{"r1n0x", "r1n1x", "r2n0x", "r2n1x"});
  CHECK(expand_hosts("host") == Names{"host"});
  for (const char* const list :
       {"", "n[", "n[1-", "n[3-1]", "n[a]", "n[]", "a,,b", "n[1-999999999]",
        "n[1-1000][1-1000][1-1000]", "n[1][1][1][1][1][1]"}) {
    INFO(list);
    CHECK(expand_hosts(list).empty());
  }
}

TEST_CASE("a list of counts is expanded") {
  CHECK(expand_counts("2(x3),1") == std::vector<int>{2, 2, 2, 1});
  CHECK(expand_counts("8") == std::vector<int>{8});
  for (const char* const list : {"", "x", "2(x3", "2(x)", "-1", "2(x99999999999)", "1(x100001)"}) {
    INFO(list);
    CHECK(expand_counts(list).empty());
  }
}

TEST_CASE("the allocation of a job is in its variables") {
  const std::optional<Allocation> allocation = read_allocation(kVariables);
  REQUIRE(allocation);
  CHECK(allocation->job == "17");
  CHECK(allocation->nodes == Names{"n1", "n2", "n3"});
  CHECK(allocation->node_cores == std::vector<int>{2, 2, 1});
  CHECK(allocation->cores == 2);
  CHECK(allocation->memory == uint64_t{200} << 20U);
  CHECK_FALSE(allocation->end);
}

TEST_CASE("a step's own cores, memory for each core and the end take precedence") {
  std::map<std::string, std::string> variables = kVariables;
  variables.erase("SLURM_MEM_PER_NODE");
  variables["SLURM_MEM_PER_CPU"] = "100";
  variables["SLURM_CPUS_ON_NODE"] = "4";
  variables["SLURM_JOB_END_TIME"] = "1800000000";
  const std::optional<Allocation> allocation = read_allocation(variables);
  REQUIRE(allocation);
  CHECK(allocation->cores == 4);
  CHECK(allocation->memory == uint64_t{400} << 20U);
  CHECK(allocation->end == 1'800'000'000);
}

TEST_CASE("outside of a job's node there is no allocation") {
  CHECK_FALSE(read_allocation({}));
  std::map<std::string, std::string> variables = kVariables;
  variables.erase("SLURMD_NODENAME");
  CHECK_FALSE(read_allocation(variables));
  variables = kVariables;
  variables["SLURM_JOB_ID"] = "x";
  CHECK_FALSE(read_allocation(variables));
}

TEST_CASE("a step of srun is told from the shells of sbatch and salloc") {
  CHECK_FALSE(is_in_step({}));
  CHECK_FALSE(is_in_step(kVariables));
  CHECK(is_in_step({{"SLURM_STEP_ID", "0"}}));
  CHECK(is_in_step({{"SLURM_STEP_ID", "12"}}));
  CHECK_FALSE(is_in_step({{"SLURM_STEP_ID", "4294967290"}}));
  CHECK_FALSE(is_in_step({{"SLURM_STEP_ID", "4294967291"}}));
  CHECK_FALSE(is_in_step({{"SLURM_STEP_ID", "batch"}}));
}

TEST_CASE("damaged variables count as absent") {
  std::map<std::string, std::string> variables = kVariables;
  variables["SLURM_JOB_NODELIST"] = "n[";
  variables["SLURM_JOB_CPUS_PER_NODE"] = "many";
  variables["SLURM_MEM_PER_NODE"] = "99999999999999999999";
  variables["SLURM_JOB_END_TIME"] = "soon";
  const std::optional<Allocation> allocation = read_allocation(variables);
  REQUIRE(allocation);
  CHECK(allocation->cores == 0);
  CHECK(allocation->memory == 0);
  CHECK_FALSE(allocation->end);
}

TEST_CASE("a step that cannot end in time does not start") {
  plan::Step step;
  step.id = "build:cpu";
  step.predicted_seconds = 600;
  step.predicted_p90 = 900;
  step.prediction = plan::Prediction::measured;
  CHECK(check_time_left(step, "17", std::chrono::seconds(900)));
  const Done late = check_time_left(step, "17", std::chrono::seconds(899));
  REQUIRE_FALSE(late);
  CHECK(late.error().kind == ErrorKind::timeout);
  CHECK(late.error().message ==
        "`build:cpu` takes up to 15m00s, and job 17 of Slurm ends in 14m59s");
  CHECK_FALSE(check_time_left(step, "17", std::chrono::seconds(-5)));
  // A guess refuses nothing.
  step.prediction = plan::Prediction::guessed;
  CHECK(check_time_left(step, "17", std::chrono::seconds(1)));
}

}  // namespace
}  // namespace pinwheel::slurm
