#include "prepare/budget.h"

#include <limits>
#include <map>
#include <string>

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

int most_with(const char* max_jobs, const char* parallel) {
  return most_jobs({{"MAX_JOBS", max_jobs}, {"CMAKE_BUILD_PARALLEL_LEVEL", parallel}});
}

TEST_CASE("the caller's variables cap the jobs of one build, the smaller wins") {
  constexpr int kAny = std::numeric_limits<int>::max();
  CHECK(most_with("3", "2") == 2);
  CHECK(most_with("3", "8") == 3);
  CHECK(most_with("3", "") == 3);
  CHECK(most_with("", "") == kAny);
  CHECK(most_with("0", "many") == kAny);
  CHECK(most_with("2.5", "-1") == kAny);
  CHECK(budget_of({{"MAX_JOBS", "2"}}, {})->cores_per_step == 2);
}

TEST_CASE("a job of Slurm has its own cores and memory, and options take precedence") {
  const std::map<std::string, std::string> job = {{"SLURM_JOB_ID", "17"},
                                                  {"SLURMD_NODENAME", "n1"},
                                                  {"SLURM_CPUS_ON_NODE", "1"},
                                                  {"SLURM_MEM_PER_NODE", "10"}};
  CHECK(budget_of(job, {})->cores == 1);
  CHECK(budget_of(job, {})->memory == 10 << 20U);
  RunOptions options;
  options.jobs = 3;
  options.memory = "2 GB";
  CHECK(budget_of(job, options)->cores == 3);
  CHECK(budget_of(job, options)->memory == 2'000'000'000);
  std::map<std::string, std::string> large = job;
  large["SLURM_CPUS_ON_NODE"] = "100000";
  CHECK(budget_of(large, {})->cores == budget_of({}, {})->cores);
}

}  // namespace
}  // namespace pinwheel::prepare
