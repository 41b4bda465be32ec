#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "host/slurm/slurm_commands.h"
#include "ports/clock.h"
#include "slurm/listing.h"

namespace pinwheel::host {

/// What is known about the jobs of a run at one moment.
struct QueueLook {
  std::set<std::string> results = {};          ///< tokens with a result
  std::optional<slurm::Listing> listing = {};  ///< nullopt: the controller does not answer
  std::optional<UserJobs> cluster = {};        ///< if it was requested, and the controller answers
};

/// Looks at the queue. Warns once if the controller does not answer, and once more when it answers
/// again.
class QueueWatch {
 public:
  /// The references outlive it. `warn` may be empty.
  QueueWatch(SlurmCommands& commands, ports::Clock& clock, std::function<void(const Error&)> warn)
      : commands_(commands), clock_(clock), warn_(std::move(warn)) {}

  /// `needs_all`: whether to ask for all jobs of the user, too.
  QueueLook look(std::set<std::string> results,
                 const std::function<bool(const QueueLook& seen)>& needs_all);

 private:
  void note(const Done& answer);

  SlurmCommands& commands_;
  ports::Clock& clock_;
  const std::function<void(const Error&)> warn_;
  std::optional<std::chrono::steady_clock::time_point> silent_since_ = {};
  bool warned_ = false;
};

}  // namespace pinwheel::host
