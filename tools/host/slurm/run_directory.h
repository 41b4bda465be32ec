#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "ports/files.h"
#include "slurm/job_result.h"

namespace pinwheel::host {

/// The directory of a plan's jobs on the shared file system:
///
///     plan.json        the frozen plan
///     scripts/         one for each submission
///     tokens/TOKEN     who submitted it; created with O_EXCL, so only one caller submits it
///     results/TOKEN.json  written by the job
///     ended/TOKEN      it ended without success, and a caller has seen that
///     logs/            Slurm's log of each element, and in TOKEN/ the logs of the step
class SlurmRunDirectory {
 public:
  SlurmRunDirectory(ports::Files& files, std::filesystem::path path)
      : files_(files), path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  /// Makes the directories. Writes the plan unless the file exists, because jobs of an earlier
  /// caller may be reading it. `environment` if the directory has a different plan: each plan has a
  /// separate directory.
  Done prepare(const std::string& plan);

  Done write_script(const std::string& submission, const std::string& text);
  /// False if the token has a claim already.
  Result<bool> claim(const std::string& token, const slurm::JobClaim& claim);
  void release(const std::string& token);
  std::optional<slurm::JobClaim> claim_of(const std::string& token) const;
  /// The tokens with a claim. A new claim from another machine may be missing here for a minute,
  /// but not from `claim` and `claim_of`, which open the file.
  std::set<std::string> claimed() const;
  /// The text of a job's result; nullopt: it has none yet.
  std::optional<std::string> result_of(const std::string& token) const;
  /// The tokens with a result. A new result may be missing in the same way.
  std::set<std::string> with_result() const;
  void mark_ended(const std::string& token, const std::string& state);
  /// The tokens with such a mark.
  std::set<std::string> ended() const;
  /// The state in a mark; empty: there is none.
  std::string mark_of(const std::string& token) const;
  std::filesystem::path log_of(const std::string& submission, int index) const;
  std::filesystem::path step_logs(const std::string& token) const;

 private:
  std::set<std::string> names_in(const char* part) const;

  ports::Files& files_;
  std::filesystem::path path_;
};

}  // namespace pinwheel::host
