#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "slurm/queue.h"

namespace pinwheel::slurm {

/// Why a job ended, or why it will not start.
enum class JobEnd {
  none,            ///< it waits, runs, or Slurm starts it again
  succeeded,       ///< its program ended with exit code 0
  program_failed,  ///< its program ended with another exit code: the step failed, or pinwheel did
  killed,          ///< a signal ended its program, and nothing says why
  out_of_memory,
  time_limit,
  node_failed,
  preempted,
  cancelled,          ///< by someone, with scancel
  dependency_failed,  ///< a job that it depends on failed
  launch_failed,      ///< a node could not start its program
  held,               ///< it waits until someone releases it
  partition_down,     ///< it waits until its partition has enough nodes again
  never_starts,       ///< its request exceeds a limit of the cluster
  unknown,            ///< a state that this release does not know
};

struct JobVerdict {
  JobEnd end = JobEnd::none;
  /// The kind of error that a run treats it as; `internal` for `none` and `succeeded`, which are
  /// not errors. An end that is not the step's fault is `transient`. `out_of_memory` and `timeout`
  /// are the same kinds as for steps on this machine. The kind decides about retries.
  ErrorKind kind = ErrorKind::internal;
  std::string text = {};  ///< "node `n1` failed"; empty for `none` and `succeeded`
  std::string hint = {};
};

/// Whether a job with this verdict waits for a person: nothing that other jobs do lets it start.
bool waits_for_person(const JobVerdict& verdict);

/// Decides by the state, the exit code and the reason of a job, and by the lines of slurmstepd in
/// its output. Without cgroups, only these lines say that a job exceeded its memory. After a
/// cancellation, only these lines give the cause. A failed job without an exit code (from squeue)
/// is `program_failed`. Only the result of the step says whether the step succeeded.
JobVerdict classify_slurm(const Job& job, std::string_view output);

}  // namespace pinwheel::slurm
