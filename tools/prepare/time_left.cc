#include "prepare/time_left.h"

#include <vector>

#include "slurm/allocation.h"
#include "slurm/cluster.h"
#include "slurm/queue.h"

namespace pinwheel::prepare {
namespace {

/// What the controller knows about the end of a job; 0: nothing.
int64_t ask_scontrol(const host::EnvMachine& machine,
                     const std::map<std::string, std::string>& variables, const std::string& job) {
  const ports::Command command{slurm::scontrol_command(job), "/",
                               slurm::command_variables(variables, "scontrol"),
                               std::chrono::seconds(20)};
  const Result<ports::Captured> ran = machine.process.capture(command);
  if (!ran || !ran->exit.ok()) return 0;
  for (const slurm::Job& each : slurm::read_scontrol(ran->out)) {
    // The tasks of an array are listed together.
    if (each.number == job) return each.ended;
  }
  return 0;
}

}  // namespace

std::optional<JobEnd> find_job_end(const host::EnvMachine& machine,
                                   const std::map<std::string, std::string>& variables) {
  const std::optional<slurm::Allocation> allocation = slurm::read_allocation(variables);
  if (!allocation) return std::nullopt;
  const int64_t end =
      allocation->end ? *allocation->end : ask_scontrol(machine, variables, allocation->job);
  if (end <= 0) return std::nullopt;
  return JobEnd{allocation->job, std::chrono::system_clock::time_point(std::chrono::seconds(end))};
}

Done check_ends_in_time(const plan::Step& step, const std::optional<JobEnd>& end,
                        std::chrono::system_clock::time_point now) {
  if (!end) return {};
  return slurm::check_time_left(step, end->job,
                                std::chrono::duration_cast<std::chrono::seconds>(end->at - now));
}

}  // namespace pinwheel::prepare
