#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/outcome.h"

namespace pinwheel::slurm {

/// What a job wrote under its token.
struct JobResult {
  int exit_code = 0;
  /// The outcome of its step; nullopt: pinwheel ended before it ran anything.
  std::optional<plan::StepOutcome> outcome = std::nullopt;
};

/// The text of a result for a job whose step did not start.
std::string result_json(const std::string& token, int code, const plan::StepOutcome& outcome);

/// `config` for a text that is not the result of this token and step.
Result<JobResult> parse_job_result(std::string_view text, const std::string& token,
                                   const std::string& step);

/// Who submitted a token, and when.
struct JobClaim {
  std::string submission;
  int index = 0;
  int64_t seconds = 0;  ///< since the epoch
  /// For a step inside a job of its submitter: the id of that job, and the host and the process id
  /// of the submitter. The step ends when the submitter ends. Empty for a separate job.
  std::string allocation = {};
  std::string host = {};
  int64_t process = 0;
};
std::string claim_json(const JobClaim& claim);
Result<JobClaim> parse_claim(std::string_view text);

}  // namespace pinwheel::slurm
