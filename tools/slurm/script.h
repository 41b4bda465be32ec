#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "slurm/plan_jobs.h"

namespace pinwheel::slurm {

/// The exit code of a job that could not store its result: EX_TEMPFAIL of sysexits.h.
inline constexpr int kNoResult = 75;

/// The prefix of the lines in a script that name its elements: "#PINWHEEL INDEX TOKEN STEP".
inline constexpr std::string_view kElementLine = "#PINWHEEL ";

/// What all jobs of a run share.
struct JobSite {
  std::string run;        ///< absolute: the run's directory on the shared file system
  std::string program;    ///< absolute: pinwheel
  std::string directory;  ///< absolute: of the checkout
  std::vector<std::string> arguments = {};  ///< of each pinwheel: "--store", "dir:/shared/store"
  std::vector<std::string> variables = {};  ///< names of those that jobs get from the caller
};

/// `config` if a path cannot be in an `#SBATCH` line: it has a quote, a backslash, `%`, or a
/// control character.
Done check_site(const JobSite& site);

/// The script for sbatch that submits an array. Each element runs one step with `pinwheel
/// --reuse-only`, in a separate directory on the node, which is removed at the end. It writes its
/// result under its token: the exit code and the report, complete or not at all. If a signal
/// stopped pinwheel, there is no result, because only Slurm knows why. `indexes`: the elements to
/// submit.
std::string script_of(const JobArray& array, const std::string& submission, const JobSite& site,
                      const std::vector<int>& indexes);

/// "0-3,7".
std::string index_list(const std::vector<int>& indexes);

}  // namespace pinwheel::slurm
