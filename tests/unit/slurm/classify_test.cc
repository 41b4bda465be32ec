#include "slurm/classify.h"

#include <filesystem>

#include "unit/slurm/recorded.h"

namespace pinwheel::slurm {
namespace {

/// The verdict on a recorded job and its recorded output, if it printed something.
JobVerdict verdict_on(const std::string& name) {
  const std::string output = "tests/data/slurm/" + name + ".output";
  const bool printed = std::filesystem::exists(in_source_tree(output));
  return classify_slurm(recorded_job(name), printed ? recorded(name + ".output") : std::string());
}

TEST_CASE("each recorded end is told from a failed build") {
  struct Expected {
    const char* name;
    JobEnd end;
    ErrorKind kind;
  };
  const std::vector<Expected> all = {
      {"completed", JobEnd::succeeded, ErrorKind::internal},
      {"failed", JobEnd::program_failed, ErrorKind::step},
      {"step-failed", JobEnd::program_failed, ErrorKind::step},
      {"killed", JobEnd::killed, ErrorKind::transient},
      {"timeout", JobEnd::time_limit, ErrorKind::timeout},
      {"over-memory", JobEnd::out_of_memory, ErrorKind::out_of_memory},
      {"node-failed", JobEnd::node_failed, ErrorKind::transient},
      {"node-failed-requeued", JobEnd::none, ErrorKind::internal},
      {"preempted-cancel", JobEnd::preempted, ErrorKind::transient},
      {"preempted-requeue", JobEnd::none, ErrorKind::internal},
      {"cancelled", JobEnd::cancelled, ErrorKind::interrupted},
      {"cancelled-by-dependency", JobEnd::dependency_failed, ErrorKind::step},
      {"dependency-never", JobEnd::dependency_failed, ErrorKind::step},
      {"no-output", JobEnd::launch_failed, ErrorKind::transient},
      {"launch-failed", JobEnd::launch_failed, ErrorKind::transient},
      {"requeued-and-held", JobEnd::held, ErrorKind::environment},
      {"held", JobEnd::held, ErrorKind::environment},
  };
  for (const Expected& each : all) {
    INFO(each.name);
    const JobVerdict verdict = verdict_on(each.name);
    CHECK(verdict.end == each.end);
    CHECK(verdict.kind == each.kind);
    CHECK(verdict.text.empty() == (each.end == JobEnd::none || each.end == JobEnd::succeeded));
  }
}

// Of a cluster whose task/cgroup limits memory: the same job ends in another state.
TEST_CASE("a kill by the kernel for memory is told by state, by status or by the daemon's line") {
  Job job{.id = "1", .state = JobState::out_of_memory, .signal = 125};
  CHECK(classify_slurm(job, "").end == JobEnd::out_of_memory);
  job.state = JobState::failed;
  CHECK(classify_slurm(job, "").end == JobEnd::out_of_memory);
  job.signal = 9;
  CHECK(classify_slurm(job, "").end == JobEnd::killed);
  CHECK(classify_slurm(job,
                       "slurmstepd-n1: error: Detected 1 oom-kill event(s) in StepId=1.batch. "
                       "Some of your processes may have been killed by the cgroup "
                       "out-of-memory handler.\n")
            .end == JobEnd::out_of_memory);
}

TEST_CASE("a build that prints what the daemon prints is still a failed build") {
  Job job{.id = "1", .state = JobState::failed, .exit_code = 1};
  CHECK(classify_slurm(job, "error: oom-kill event\nexceeded memory limit\n").end ==
        JobEnd::program_failed);
  CHECK(classify_slurm(job, "slurmstepd: error: Detected 1 oom-kill event(s)\n").end ==
        JobEnd::program_failed);
}

TEST_CASE("a cancellation says what it was due to") {
  Job job{.id = "1", .state = JobState::cancelled, .node = "n1", .signal = 15};
  const auto end = [&](const char* due) {
    return classify_slurm(job, std::string("slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT "
                                           "2026-01-02T03:04:05") +
                                   due + " ***\n")
        .end;
  };
  CHECK(end("") == JobEnd::cancelled);
  CHECK(end(" DUE TO TIME LIMIT") == JobEnd::time_limit);
  CHECK(end(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS") == JobEnd::node_failed);
  CHECK(end(" DUE TO PREEMPTION") == JobEnd::preempted);
}

TEST_CASE("a job that can never start is told from one that waits") {
  Job job{.id = "7", .state = JobState::pending};
  for (const char* const reason : {"Resources", "Priority", "Dependency", "BeginTime",
                                   "ReqNodeNotAvail", "JobArrayTaskLimit", "QOSGrpCpuLimit", ""}) {
    INFO(reason);
    job.reason = reason;
    CHECK(classify_slurm(job, "").end == JobEnd::none);
  }
  job.reason = "PartitionTimeLimit";
  const JobVerdict verdict = classify_slurm(job, "");
  CHECK(verdict.end == JobEnd::never_starts);
  CHECK(verdict.text == "job 7 cannot start (`PartitionTimeLimit`)");
  CHECK(verdict.hint == "run `pinwheel doctor --executor slurm` to see the limits of the cluster");
}

TEST_CASE("a job that waits for a repair or for somebody is told from one that can never start") {
  Job job{.id = "7_2", .state = JobState::pending};
  for (const char* const reason : {"PartitionDown", "PartitionInactive", "PartitionNodeLimit"}) {
    INFO(reason);
    job.reason = reason;
    CHECK(classify_slurm(job, "").end == JobEnd::partition_down);
    CHECK(waits_for_person(classify_slurm(job, "")));
  }
  CHECK(classify_slurm(job, "").text ==
        "job 7_2 waits until its partition is repaired (`PartitionNodeLimit`)");
  job.reason = "launch_failed_requeued_held";
  const JobVerdict launch = classify_slurm(job, "");
  CHECK(launch.end == JobEnd::launch_failed);
  CHECK(launch.text == "job 7_2 could not be started, and it is held");
  CHECK(launch.hint.find("scontrol release 7_2") != std::string::npos);
  CHECK(waits_for_person(launch));
  job.reason = "JobHeldUser";
  CHECK(waits_for_person(classify_slurm(job, "")));
  for (const char* const reason : {"Resources", "PartitionTimeLimit", "DependencyNeverSatisfied"}) {
    INFO(reason);
    job.reason = reason;
    CHECK_FALSE(waits_for_person(classify_slurm(job, "")));
  }
  job.state = JobState::unknown;
  CHECK(waits_for_person(classify_slurm(job, "")));
}

TEST_CASE("the text names the job and the node") {
  CHECK(verdict_on("node-failed").text == "node `n1` failed under job 1");
  CHECK(verdict_on("timeout").text == "job 2 exceeded its time limit of 00:01:00");
  CHECK(verdict_on("failed").text == "job 1 on `n1` ended with exit code 2");
  CHECK(verdict_on("over-memory").text == "job 1 on `n1` used more memory than it requested");
  CHECK(classify_slurm(Job{.id = "1"}, "").end == JobEnd::unknown);
}

}  // namespace
}  // namespace pinwheel::slurm
