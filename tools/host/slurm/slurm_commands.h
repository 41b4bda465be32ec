#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ports/process.h"
#include "slurm/listing.h"

namespace pinwheel::host {

/// How sbatch answered.
struct Submitted {
  std::string array = {};  ///< the id of the job; empty: it is not known whether a job exists
};

/// What the controller knows about the user's jobs.
struct UserJobs {
  slurm::Listing elements = {};       ///< of our arrays
  std::set<std::string> living = {};  ///< ids of all jobs that have not ended
};

/// Runs programs. A stop ends the programs that run, but not those that start after it.
class UntilStopped final : public ports::Process {
 public:
  /// The processes outlive this. `stoppable` ends its programs at the same stop.
  UntilStopped(ports::Process& stoppable, ports::Process& later, std::stop_token stop)
      : stoppable_(stoppable), later_(later), stop_(std::move(stop)) {}
  Result<ports::Captured> capture(const ports::Command& command) override {
    return now().capture(command);
  }
  Result<ports::Exit> log(const ports::Command& command,
                          const std::filesystem::path& log) override {
    return now().log(command, log);
  }

 private:
  ports::Process& now() { return stop_.stop_requested() ? later_ : stoppable_; }

  ports::Process& stoppable_;
  ports::Process& later_;
  std::stop_token stop_;
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

  /// Submits a script. `environment` if sbatch is missing or refuses the job, with the message of
  /// sbatch; `transient` if sbatch refuses the job only temporarily. A controller that did not
  /// answer may have accepted the job.
  virtual Result<Submitted> submit(const std::string& script, const std::string& dependency) const;
  /// The elements of the user's arrays that the controller knows. `transient` if it does not answer
  /// in time.
  virtual Result<slurm::Listing> list(std::chrono::milliseconds limit) const;
  /// All jobs of the user, even if `list` returns other elements. `transient` as for `list`.
  Result<UserJobs> all_jobs(std::chrono::milliseconds limit) const;
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
