#include "slurm/queue.h"

#include "base/text.h"
#include "unit/slurm/recorded.h"

namespace pinwheel::slurm {
namespace {

constexpr int64_t kTime = 1'800'000'000;

/// The format with its control characters as escapes, as the recorded file has it.
std::string escaped(std::string text) {
  text = replace_all(std::move(text), "\x1e", "\\x1e");
  return replace_all(std::move(text), "\x1f", "\\x1f");
}

TEST_CASE("the recorded outputs are those of the command that pinwheel runs") {
  const std::vector<std::string> argv = squeue_command("u");
  CHECK(escaped(argv.back()) + "\n" == "--format=" + recorded("squeue.format"));
  CHECK(argv[4] == "--user=u");
}

TEST_CASE("squeue's records are read with their states") {
  const Job done = only(read_squeue(recorded("completed.squeue")));
  CHECK(done == Job{.id = "3",
                    .number = "3",
                    .state = JobState::completed,
                    .node = "n1",
                    .submitted = kTime,
                    .started = kTime,
                    .ended = kTime,
                    .time_limit = "10:00",
                    .comment = "pinwheel:abc"});
  const Job waiting = only(read_squeue(recorded("dependency-never.squeue")));
  CHECK(waiting.state == JobState::pending);
  CHECK(waiting.reason == "DependencyNeverSatisfied");
  CHECK(waiting.node.empty());
  CHECK(waiting.started == 0);
  CHECK(waiting.comment.empty());
  CHECK(only(read_squeue(recorded("requeued-and-held.squeue"))).reason ==
        "job_requeued_in_held_state");
}

TEST_CASE("each task of an array has an id of its own") {
  const std::vector<Job> tasks = read_squeue(recorded("array.squeue"));
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].id == "9_0");
  CHECK(tasks[0].number == "13");
  CHECK(tasks[2].id == "9_2");
  CHECK(tasks[2].number == "9");
  const std::vector<Job> shown = read_scontrol(recorded("array.scontrol"));
  REQUIRE(shown.size() == 3);
  std::map<std::string, int> codes;
  for (const Job& task : shown) codes[task.id] = task.exit_code;
  CHECK(codes == std::map<std::string, int>{{"9_0", 0}, {"9_1", 1}, {"9_2", 2}});
}

TEST_CASE("a comment of squeue is whole, whatever it contains") {
  const Job job = only(read_squeue(recorded("hostile.squeue")));
  CHECK(job.state == JobState::completed);
  CHECK(job.comment ==
        "a|b\nc\x1b[31m\x1e\x1f"
        "d\tJobState=COMPLETED Comment=x");
  // A second record that a comment makes must at least be complete.
  CHECK(read_squeue("\x1e"
                    "1\x1f"
                    "1\x1fRUNNING\x1f\x1f\x1f\x1f\x1f\x1f\x1f a\n\x1e"
                    "2\x1f b\x1f\n")
            .size() == 1);
}

TEST_CASE("incomplete output of squeue gives the complete records only") {
  const std::string text = recorded("array.squeue");
  CHECK(read_squeue("").empty());
  CHECK(read_squeue("slurm_load_jobs error: Unable to contact slurm controller\n").empty());
  for (size_t size = 0; size < text.size(); ++size) {
    CHECK(read_squeue(std::string_view(text).substr(0, size)).size() <= 3);
  }
  CHECK(read_squeue("\x1e"
                    "17_[0-3]\x1f"
                    "17\x1fPENDING\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\n")
            .empty());
}

TEST_CASE("scontrol's records have exit codes, signals and restarts") {
  const Job failed = recorded_job("failed");
  CHECK(failed.state == JobState::failed);
  CHECK(failed.exit_code == 2);
  CHECK(failed.signal == 0);
  CHECK(failed.reason == "NonZeroExitCode");
  CHECK(failed.submitted == kTime);
  CHECK(recorded_job("killed").signal == 9);
  CHECK(recorded_job("no-output").signal == 53);
  const Job again = recorded_job("preempted-requeue");
  CHECK(again.restarts == 1);
  CHECK(again.state == JobState::pending);
  CHECK(recorded_job("completed").comment == "pinwheel:abc");
  CHECK(recorded_job("dependency-never").started == 0);
  CHECK(recorded_job("timeout").time_limit == "00:01:00");
}

TEST_CASE("a job whose name or comment imitates a field has no record in scontrol") {
  CHECK(read_scontrol(recorded("hostile.scontrol")).empty());
  const std::string line = recorded("failed.scontrol");
  CHECK(read_scontrol(replace_all(line, "JobName=sbatch", "JobName=x JobState=COMPLETED")).empty());
  CHECK(read_scontrol(replace_all(line, " Power=", " Comment=a Comment=b Power=")).empty());
  CHECK(only(read_scontrol("JobId=1 JobState=FAILED ExitCode=1:0 Comment=a b  \n")).comment ==
        "a b");
  const Job named = only(read_scontrol(replace_all(line, "JobName=sbatch", "JobName=a b\nc")));
  CHECK(named.state == JobState::failed);
}

TEST_CASE("two records of one number are both omitted") {
  const std::string line = recorded("failed.scontrol");
  CHECK(read_scontrol(line + replace_all(line, "JobState=FAILED", "JobState=COMPLETED")).empty());
}

TEST_CASE("damaged output of scontrol gives no record") {
  const std::string text = recorded("failed.scontrol");
  CHECK(read_scontrol("slurm_load_jobs error: Invalid job id specified\n").empty());
  CHECK(read_scontrol(text.substr(0, text.find(" ExitCode"))).empty());
  CHECK(read_scontrol(replace_all(text, "ExitCode=2:0", "ExitCode=2")).empty());
  CHECK(read_scontrol(replace_all(text, "JobState=FAILED", "JobState=NEW_STATE")).empty());
}

TEST_CASE("states of every tool are read") {
  CHECK(parse_job_state("CANCELLED by 1000") == JobState::cancelled);
  CHECK(parse_job_state("CANCELLED+") == JobState::unknown);
  CHECK(parse_job_state("COMPLETING,FAILED") == JobState::failed);
  CHECK(parse_job_state("FAILED,COMPLETING") == JobState::failed);
  CHECK(parse_job_state("RUNNING,SIGNALING") == JobState::running);
  CHECK(parse_job_state("") == JobState::unknown);
  CHECK(has_ended(JobState::node_fail));
  CHECK_FALSE(has_ended(JobState::completing));
  CHECK_FALSE(has_ended(JobState::unknown));
}

// Written after the manual page of sacct: the recorded cluster has no accounting.
TEST_CASE("sacct's rows are read, with the memory of the job's steps") {
  const std::vector<Job> jobs = read_sacct(
      "17_3|19|OUT_OF_MEMORY|0:125|n1|1800000000|1800000001|1800000002||pinwheel:a|b\n"
      "17_3.batch|19.batch|OUT_OF_MEMORY|0:125|n1|1800000000|1800000001|1800000002|104857600K|\n"
      "17_3.0|19.0|COMPLETED|0:0|n1|1800000000|1800000001|1800000002|1.5M|\n"
      "18|18|CANCELLED by 1000|0:0|None assigned|1800000000|Unknown|Unknown||\n"
      "20|20|?|0:0|n1|1|1|1||\nbroken\n");
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].id == "17_3");
  CHECK(jobs[0].state == JobState::out_of_memory);
  CHECK(jobs[0].signal == 125);
  CHECK(jobs[0].peak_memory == uint64_t{100} << 30U);
  CHECK(jobs[0].comment == "pinwheel:a|b");
  CHECK(jobs[1].state == JobState::cancelled);
  CHECK(jobs[1].node.empty());
  CHECK(sacct_command("u", std::chrono::hours(1))[4] == "--starttime=now-3600seconds");
}

}  // namespace
}  // namespace pinwheel::slurm
