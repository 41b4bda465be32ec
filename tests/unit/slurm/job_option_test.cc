#include "slurm/job_option.h"

#include "unit/catch.h"

namespace pinwheel::slurm {
namespace {

TEST_CASE("an option that changes nothing of the contract is accepted") {
  for (const char* const option :
       {"--exclusive", "--constraint=a100|h100", "--reservation=lab", "--nice=100",
        "--mail-type=END", "--licenses=matlab:1", "--exclude=n[1-3]", "--nodelist=n1", "--tmp=20G",
        "--gpus-per-node=1", "--mem-bind=local", "--time-min=10", "--ntasks-per-core=1",
        "--wait-all-nodes=1"}) {
    INFO(option);
    CHECK(problem_of_option(option).message.empty());
  }
}

TEST_CASE("an option that would lose jobs is refused with the reason") {
  const OptionProblem comment = problem_of_option("--comment=mine");
  CHECK(comment.message == "`--comment` cannot be given: the executor finds its jobs by it");
  CHECK(comment.hint == "remove it");
  for (const char* const option : {"--array=0-3",
                                   "--dependency=afterok:1",
                                   "--job-name=x",
                                   "--output=/tmp/x",
                                   "--error=/tmp/x",
                                   "--parsable",
                                   "--wrap=true",
                                   "--wait",
                                   "--chdir=/",
                                   "--export=NONE",
                                   "--requeue",
                                   "--no-requeue",
                                   "--kill-on-invalid-dep=no",
                                   "--nodes=2",
                                   "--ntasks=4",
                                   "--test-only",
                                   "--clusters=all",
                                   "--signal=KILL@1",
                                   "--hold",
                                   "--begin=tomorrow",
                                   "--open-mode=truncate"}) {
    INFO(option);
    CHECK(!problem_of_option(option).message.empty());
  }
}

TEST_CASE("an option that has a setting names it") {
  CHECK(problem_of_option("--partition=gpu").hint == "set `partition` instead");
  CHECK(problem_of_option("--mem=4G").hint == "set `memory` instead");
  CHECK(problem_of_option("--cpus-per-task=4").hint == "set `cores` instead");
}

TEST_CASE("an abbreviation is refused as the option that sbatch reads") {
  CHECK(problem_of_option("--comm=x").message ==
        "`--comm` cannot be given (sbatch reads it as `--comment`): the executor finds its jobs by "
        "it");
  CHECK(!problem_of_option("--depend=afterok:1").message.empty());
  CHECK(!problem_of_option("--arr=1").message.empty());
  CHECK(!problem_of_option("--o=x").message.empty());
}

TEST_CASE("anything but one long option is refused") {
  for (const char* const option :
       {"", "-", "--", "-a1", "-J", "exclusive", "--=x", "--a b", "--nice=1 --array=2", "--x='y'",
        "--x=\"y\"", "--x=\n", "--x=#", "--x=\\", "--x=\x1b[0m", "--x=\xc3\xa9", "--COMMENT!=1"}) {
    INFO(option);
    CHECK(!problem_of_option(option).message.empty());
  }
}

}  // namespace
}  // namespace pinwheel::slurm
