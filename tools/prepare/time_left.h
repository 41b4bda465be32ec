#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "plan/step.h"

namespace pinwheel::prepare {

/// The end of the job of Slurm that this process runs in.
struct JobEnd {
  std::string job;  ///< "17"
  std::chrono::system_clock::time_point at;
};

/// Reads it from `SLURM_JOB_END_TIME`, which older releases do not set, else asks scontrol. nullopt
/// outside a job, and if the job has no time limit or scontrol does not respond. `variables`: the
/// caller's; helper programs do not see those of Slurm.
std::optional<JobEnd> find_job_end(const host::EnvMachine& machine,
                                   const std::map<std::string, std::string>& variables);

/// `timeout` if the step is known to take longer than is left (`slurm::check_time_left`).
Done check_ends_in_time(const plan::Step& step, const std::optional<JobEnd>& end,
                        std::chrono::system_clock::time_point now);

}  // namespace pinwheel::prepare
