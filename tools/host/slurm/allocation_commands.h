#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "host/slurm/slurm_commands.h"
#include "ports/files.h"
#include "slurm/allocation.h"

namespace pinwheel::host {

/// Runs a program until it ends, or until a stop is requested, which ends it.
using StoppableProcess =
    std::function<Result<ports::Captured>(const ports::Command& command, std::stop_token stop)>;

/// Whether a step may start now. If not, the step fails with this error.
using StepCheck = std::function<Done(const std::string& step)>;

/// The commands of the executor `slurm` inside an allocation. They submit no jobs: each element of
/// an array is a step that srun starts on a node of this job. Elements start in the order of their
/// submission, when the elements that they need have succeeded and enough cores of the job are
/// free; srun chooses the node. A step that `check` refuses fails with the error of `check`. Steps
/// end when this object or this process ends. The executor of a later process finds the results of
/// the steps, and runs the steps without a result again.
class AllocationCommands final : public SlurmCommands {
 public:
  /// Nothing limits the size of an array.
  static constexpr int kLargestArray = 1'000'000;

  /// The references outlive this.
  AllocationCommands(ports::Files& files, ports::Process& process, StoppableProcess run,
                     const std::map<std::string, std::string>& variables,
                     slurm::Allocation allocation, StepCheck check = {});
  /// Ends all steps and waits for them.
  ~AllocationCommands() override;

  Result<Submitted> submit(const std::string& script, const std::string& dependency) const override;
  Result<slurm::Listing> list(std::chrono::milliseconds limit) const override;
  std::optional<slurm::Job> describe(const std::string& element) const override;
  Done cancel(const std::vector<std::string>& elements) const override;
  int largest_array() const override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pinwheel::host
