#include "slurm/allocation_step.h"

#include <algorithm>

#include "slurm/script.h"
#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

using Words = std::vector<std::string>;

JobArray some_array() {
  JobArray array;
  array.request.cores = 3;
  array.request.megabytes = 400;
  array.request.gres = "gpu:1";
  array.elements = {{0, {"token0", "build:a"}}, {2, {"token2", "build:b"}}};
  return array;
}

JobSite some_site() {
  return {"/shared dir/run", "/opt/pinwheel", "/home/me", {}, {"HOME", "PATH"}};
}

Allocation three_nodes() {
  return {.job = "17",
          .nodes = {"n1", "n2", "n3"},
          .node_cores = {2, 2, 4},
          .cores = 2,
          .memory = uint64_t{600} << 20U};
}

bool has_word(const Words& argv, const std::string& word) {
  return std::ranges::find(argv, word) != argv.end();
}

TEST_CASE("a script says what its steps request") {
  const auto request = read_script(script_of(some_array(), "abc", some_site(), {0, 2}));
  REQUIRE(request);
  CHECK(request->submission == "abc");
  CHECK(request->indexes == std::vector<int>{0, 2});
  CHECK(request->cores == 3);
  CHECK(request->megabytes == 400);
  CHECK(request->gres == "gpu:1");
  CHECK(request->directory == "/home/me");
  CHECK(request->output == "/shared dir/run/logs/abc.%a.out");
  CHECK(request->variables == Words{"HOME", "PATH"});
  REQUIRE(request->elements.size() == 2);
  CHECK(request->elements.at(2).token == "token2");
  CHECK(request->elements.at(2).step == "build:b");
}

TEST_CASE("another script is not read") {
  CHECK_FALSE(read_script(""));
  CHECK_FALSE(read_script("#!/bin/bash\n#SBATCH --array=\"0\"\n"));
  CHECK_FALSE(
      read_script("#!/bin/bash\n#SBATCH --comment=\"pinwheel:a\"\n#SBATCH --array=\"x\"\n"));
  // Directives end where the commands begin.
  CHECK_FALSE(read_script("#!/bin/bash\ntrue\n#SBATCH --comment=\"pinwheel:a\"\n"));
}

TEST_CASE("dependencies of sbatch become those of elements") {
  CHECK(needs_of_element("aftercorr:12,afterok:13_4:14_0", 3) ==
        std::vector<ElementRef>{{"12", 3}, {"13", 4}, {"14", 0}});
  CHECK(needs_of_element("", 0).empty());
  CHECK(needs_of_element("afterok:13", 0).empty());
}

TEST_CASE("a step shares its node with others") {
  ScriptRequest request = *read_script(script_of(some_array(), "abc", some_site(), {0, 2}));
  const Allocation allocation = three_nodes();
  const Words argv = srun_command(allocation, request, 2, "/shared/abc.sh");
  for (const char* const word :
       {"--jobid=17", "--nodes=1", "--ntasks=1", "--exact", "--cpus-per-task=3", "--mem=400M",
        "--gres=gpu:1", "--output=/shared dir/run/logs/abc.2.out", "--chdir=/home/me",
        "--export=HOME,PATH,SLURM_ARRAY_TASK_ID=2"}) {
    INFO(word);
    CHECK(has_word(argv, word));
  }
  CHECK(argv[argv.size() - 2] == "bash");
  CHECK(argv.back() == "/shared/abc.sh");
  // More than a node has cannot start.
  request.cores = 9;
  request.megabytes = 9999;
  const Words large = srun_command(allocation, request, 0, "x");
  CHECK(has_word(large, "--cpus-per-task=4"));
  CHECK(has_word(large, "--mem=600M"));
  request.cores = 1;
  request.megabytes = 0;
  CHECK(has_word(srun_command(allocation, request, 0, "x"), "--mem=300M"));
}

TEST_CASE("srun sees no variable of the job that it would read as an option") {
  const std::map<std::string, std::string> variables = {
      {"PATH", "/bin"},          {"SLURM_CONF", "/etc/slurm.conf"},
      {"SLURM_JOB_ID", "17"},    {"SLURM_NTASKS", "3"},
      {"SLURMD_NODENAME", "n1"}, {"SBATCH_MEM", "1"},
      {"SRUN_CONTAINER", "x"},   {"PMI_RANK", "0"}};
  CHECK(srun_variables(variables) ==
        std::map<std::string, std::string>{{"PATH", "/bin"}, {"SLURM_CONF", "/etc/slurm.conf"}});
}

// The errors of srun 22.05.
TEST_CASE("the end of a step is in srun's exit and errors") {
  const auto end = [](int code, const std::string& errors) {
    return end_step({}, {.code = code}, errors);
  };
  CHECK(end(0, "").state == JobState::completed);
  const Job failed = end(2, "srun: error: n3: task 0: Exited with exit code 2\n");
  CHECK(failed.state == JobState::failed);
  CHECK(failed.exit_code == 2);
  const Job killed = end(137, "srun: error: n1: task 0: Killed\n");
  CHECK(killed.state == JobState::failed);
  CHECK(killed.signal == 9);
  CHECK(killed.exit_code == 0);
  CHECK(end(137,
            "slurmstepd-n1: error: StepId=1.9 exceeded memory limit (328339456 > 52428800), "
            "being killed\nsrun: error: n1: task 0: Killed\n")
            .state == JobState::out_of_memory);
  CHECK(end(137, "srun: error: n1: task 0: Out Of Memory\n").state == JobState::out_of_memory);
  CHECK(end(1, "srun: error: Node failure on n2\n").state == JobState::node_fail);
  CHECK(end(137,
            "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO "
            "TIME LIMIT ***\n")
            .state == JobState::timeout);
}

}  // namespace
}  // namespace pinwheel::slurm
