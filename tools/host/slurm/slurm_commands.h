#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/process.h"
#include "slurm/listing.h"

namespace pinwheel::host {

/// How sbatch answered.
struct Submitted {
  std::string array = {};  ///< the id of the job; empty: it is not known whether there is one
};

/// The commands of Slurm, for one user. All see the caller's variables: sbatch passes some of them
/// to jobs.
class SlurmCommands {
 public:
  /// `process` outlives it.
  SlurmCommands(ports::Process& process, std::map<std::string, std::string> variables)
      : process_(process), variables_(std::move(variables)) {}
  virtual ~SlurmCommands() = default;
  SlurmCommands(const SlurmCommands&) = delete;
  SlurmCommands& operator=(const SlurmCommands&) = delete;

  /// Submits a script. `environment` if sbatch is missing or refuses the job, with its words; a
  /// controller that did not answer may have accepted it.
  virtual Result<Submitted> submit(const std::string& script, const std::string& dependency) const;
  /// The elements of the user's arrays that the controller knows. `transient` if it does not answer
  /// in time.
  virtual Result<slurm::Listing> list(std::chrono::milliseconds limit) const;
  /// An element with its exit code; nullopt: the controller does not know it.
  virtual std::optional<slurm::Job> describe(const std::string& element) const;
  /// Cancels "12_3" and others.
  virtual Done cancel(const std::vector<std::string>& elements) const;
  /// The value of MaxArraySize; the default if the controller does not answer.
  virtual int largest_array() const;

 private:
  Result<ports::Captured> call(std::vector<std::string> argv,
                               std::chrono::milliseconds limit) const;

  ports::Process& process_;
  std::map<std::string, std::string> variables_;
};

}  // namespace pinwheel::host
