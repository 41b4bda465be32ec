#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "host/slurm/run_directory.h"
#include "run/executor.h"

namespace pinwheel::host {

/// The jobs that earlier callers of a plan submitted for its steps. They are read from the
/// directory of the plan when the first step is asked for.
class EarlierJobs {
 public:
  struct Jobs {
    /// How many submissions ended without success, or have no caller that still waits for them.
    int ended = 0;
    run::Growth growth = {};  ///< that they caused
  };

  /// `directory` outlives it.
  explicit EarlierJobs(const SlurmRunDirectory& directory) : directory_(directory) {}

  const Jobs& find(const std::string& plan_digest, const std::string& step);
  /// The growth of a step that was asked for; else none.
  run::Growth growth_of(const std::string& step) const;

 private:
  struct Listed {
    std::set<std::string> claimed = {};
    std::set<std::string> ended = {};
  };
  Jobs look_for(const Listed& listed, const std::string& plan_digest,
                const std::string& step) const;

  const SlurmRunDirectory& directory_;
  std::optional<Listed> listed_ = {};
  std::map<std::string, Jobs> jobs_ = {};  ///< by step
};

/// The mark of a job whose request the cluster does not allow: growth begins again after it.
inline constexpr const char* kNeverStarts = "never-starts";

}  // namespace pinwheel::host
