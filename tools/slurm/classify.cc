#include "slurm/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"

namespace pinwheel::slurm {
namespace {

/// A part of a line that slurmstepd writes into a job's output, and what it means.
struct DaemonLine {
  std::string_view text;
  JobEnd end;
};
// From src/slurmd/slurmstepd/{mgr,req,task}.c and slurm_jobacct_gather.c.
constexpr std::array kDaemonLines = {
    DaemonLine{"oom-kill event", JobEnd::out_of_memory},
    DaemonLine{"oom_kill event", JobEnd::out_of_memory},
    DaemonLine{"exceeded memory limit", JobEnd::out_of_memory},
    DaemonLine{"Exceeded job memory limit", JobEnd::out_of_memory},
    DaemonLine{"Exceeded step memory limit", JobEnd::out_of_memory},
    DaemonLine{"DUE TO TIME LIMIT", JobEnd::time_limit},
    DaemonLine{"DUE TO NODE FAILURE", JobEnd::node_failed},
    DaemonLine{"DUE TO PREEMPTION", JobEnd::preempted},
};

/// Reasons of pending jobs that end when an administrator has repaired something.
constexpr std::array<std::string_view, 3> kDown = {"PartitionDown", "PartitionInactive",
                                                   "PartitionNodeLimit"};

/// Reasons of pending jobs that waiting does not remove.
constexpr std::array<std::string_view, 14> kLimits = {
    "PartitionTimeLimit", "BadConstraints",
    "InvalidAccount",     "InvalidQOS",
    "AccountNotAllowed",  "QOSNotAllowed",
    "MaxMemPerLimit",     "QOSMaxWallDurationPerJobLimit",
    "QOSMaxMemoryPerJob", "QOSMaxCpuPerJobLimit",
    "QOSMaxGRESPerJob",   "AssocMaxWallDurationPerJobLimit",
    "AssocMaxMemPerJob",  "AssocMaxCpuPerJobLimit",
};

/// slurmd's exit status of a job that it could not start, in place of a signal.
constexpr int kLaunchStatus = 53;
/// The same for a job that the kernel killed for memory.
constexpr int kMemoryStatus = 125;

/// What the daemon of the node says about the end.
std::optional<JobEnd> end_in_output(std::string_view output) {
  std::optional<JobEnd> end;
  for (const std::string& line : split(output, '\n')) {
    if (!line.starts_with("slurmstepd")) continue;
    const auto* const found = std::ranges::find_if(kDaemonLines, [&](const DaemonLine& each) {
      return line.find(each.text) != std::string::npos;
    });
    if (found == kDaemonLines.end()) continue;
    // The daemon kills a job for memory first, and then says that it was canceled.
    if (!end || found->end == JobEnd::out_of_memory) end = found->end;
  }
  return end;
}

JobEnd end_of_pending(const Job& job) {
  const std::string& reason = job.reason;
  if (reason == "DependencyNeverSatisfied") return JobEnd::dependency_failed;
  if (reason.starts_with("launch_failed")) return JobEnd::launch_failed;
  if (reason.starts_with("JobHeld") || reason.ends_with("_held_state") ||
      job.state == JobState::requeue_hold || job.state == JobState::special_exit) {
    return JobEnd::held;
  }
  if (std::ranges::find(kDown, reason) != kDown.end()) return JobEnd::partition_down;
  return std::ranges::find(kLimits, reason) == kLimits.end() ? JobEnd::none : JobEnd::never_starts;
}

JobEnd end_of_failed(const Job& job, std::string_view output) {
  if (job.signal == kMemoryStatus) return JobEnd::out_of_memory;
  if (job.signal == kLaunchStatus) return JobEnd::launch_failed;
  // Some releases report FAILED for a job that a daemon killed.
  if (const std::optional<JobEnd> said = end_in_output(output);
      said && (job.signal != 0 || *said != JobEnd::out_of_memory)) {
    return *said;
  }
  return job.signal != 0 ? JobEnd::killed : JobEnd::program_failed;
}

JobEnd end_of(const Job& job, std::string_view output) {
  switch (job.state) {
    case JobState::completed:
      return JobEnd::succeeded;
    case JobState::out_of_memory:
      return JobEnd::out_of_memory;
    case JobState::timeout:
    case JobState::deadline:
      return JobEnd::time_limit;
    case JobState::node_fail:
    case JobState::boot_fail:
      return JobEnd::node_failed;
    case JobState::preempted:
      return JobEnd::preempted;
    case JobState::cancelled:
      if (job.reason == "DependencyNeverSatisfied") return JobEnd::dependency_failed;
      return end_in_output(output).value_or(JobEnd::cancelled);
    case JobState::revoked:
      return JobEnd::cancelled;
    case JobState::failed:
      return end_of_failed(job, output);
    case JobState::launch_failed:
      return JobEnd::launch_failed;
    case JobState::pending:
    case JobState::requeue_hold:
    case JobState::special_exit:
      return end_of_pending(job);
    case JobState::configuring:
    case JobState::running:
    case JobState::suspended:
    case JobState::stopped:
    case JobState::signaling:
    case JobState::stage_out:
    case JobState::resizing:
    case JobState::completing:
    case JobState::requeued:
    case JobState::requeue_fed:
      return JobEnd::none;
    case JobState::unknown:
      return JobEnd::unknown;
  }
  return JobEnd::unknown;
}

ErrorKind kind_of(JobEnd end) {
  switch (end) {
    case JobEnd::none:
    case JobEnd::succeeded:
      return ErrorKind::internal;
    case JobEnd::program_failed:
    case JobEnd::dependency_failed:
      return ErrorKind::step;
    case JobEnd::out_of_memory:
      return ErrorKind::out_of_memory;
    case JobEnd::time_limit:
      return ErrorKind::timeout;
    case JobEnd::killed:
    case JobEnd::node_failed:
    case JobEnd::preempted:
    case JobEnd::launch_failed:
      return ErrorKind::transient;
    case JobEnd::cancelled:
      return ErrorKind::interrupted;
    case JobEnd::held:
    case JobEnd::partition_down:
    case JobEnd::never_starts:
    case JobEnd::unknown:
      return ErrorKind::environment;
  }
  return ErrorKind::internal;
}

/// "on `n1`", or nothing.
std::string on_node(const Job& job) {
  return job.node.empty() ? std::string() : fmt::format(" on {}", quoted(job.node));
}

std::string text_of(JobEnd end, const Job& job) {
  switch (end) {
    case JobEnd::none:
    case JobEnd::succeeded:
      return {};
    case JobEnd::program_failed:
      return fmt::format("job {}{} ended with exit code {}", job.id, on_node(job), job.exit_code);
    case JobEnd::killed:
      return fmt::format("job {}{} was ended by signal {}", job.id, on_node(job), job.signal);
    case JobEnd::out_of_memory:
      return fmt::format("job {}{} used more memory than it requested", job.id, on_node(job));
    case JobEnd::time_limit:
      return job.time_limit.empty()
                 ? fmt::format("job {} exceeded its time limit", job.id)
                 : fmt::format("job {} exceeded its time limit of {}", job.id, job.time_limit);
    case JobEnd::node_failed:
      return job.node.empty()
                 ? fmt::format("the node of job {} failed", job.id)
                 : fmt::format("node {} failed under job {}", quoted(job.node), job.id);
    case JobEnd::preempted:
      return fmt::format("job {} was preempted by another job", job.id);
    case JobEnd::cancelled:
      return fmt::format("job {} was canceled", job.id);
    case JobEnd::dependency_failed:
      return fmt::format("a job that job {} depends on failed", job.id);
    case JobEnd::launch_failed:
      return fmt::format("job {} could not be started{}{}", job.id, on_node(job),
                         job.state == JobState::pending ? ", and it is held" : "");
    case JobEnd::held:
      return fmt::format("job {} is held ({})", job.id, quoted(job.reason));
    case JobEnd::partition_down:
      return fmt::format("job {} waits until its partition is repaired ({})", job.id,
                         quoted(job.reason));
    case JobEnd::never_starts:
      return fmt::format("job {} cannot start ({})", job.id, quoted(job.reason));
    case JobEnd::unknown:
      return fmt::format("job {} is in a state that pinwheel does not know", job.id);
  }
  return {};
}

std::string hint_of(JobEnd end, const Job& job) {
  switch (end) {
    case JobEnd::out_of_memory:
      return "raise `memory-limit` in `executor.slurm`";
    case JobEnd::time_limit:
      return "raise `time-limit` in `executor.slurm`";
    case JobEnd::launch_failed:
      return job.state == JobState::pending
                 ? fmt::format("`sinfo -R` may say why; run {}, or cancel it",
                               quoted("scontrol release " + job.id))
                 : "run `sinfo -R` and ask the administrator for the log of the node";
    case JobEnd::held:
      return fmt::format("run {}, or cancel it", quoted("scontrol release " + job.id));
    case JobEnd::partition_down:
      return "`sinfo` shows the states of the nodes; the job starts when the partition is up again";
    case JobEnd::never_starts:
      return "run `pinwheel doctor --executor slurm` to see the limits of the cluster";
    case JobEnd::none:
    case JobEnd::succeeded:
    case JobEnd::program_failed:
    case JobEnd::killed:
    case JobEnd::node_failed:
    case JobEnd::preempted:
    case JobEnd::cancelled:
    case JobEnd::dependency_failed:
    case JobEnd::unknown:
      return {};
  }
  return {};
}

}  // namespace

bool waits_for_person(const JobVerdict& verdict) {
  switch (verdict.end) {
    case JobEnd::held:
    case JobEnd::partition_down:
    case JobEnd::launch_failed:
    case JobEnd::unknown:
      return true;
    default:
      return false;
  }
}

JobVerdict classify_slurm(const Job& job, std::string_view output) {
  const JobEnd end = end_of(job, output);
  return {end, kind_of(end), text_of(end, job), hint_of(end, job)};
}

}  // namespace pinwheel::slurm
