#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::slurm {

/// The kinds of steps that become jobs.
enum class JobKind { environment, build, test };
std::string_view to_string(JobKind kind);

/// What the jobs of one kind request beyond what their steps need. Every text is safe as one
/// argument of sbatch and as one word of an `#SBATCH` line: printable ASCII without blanks, quotes,
/// backslashes and `#`.
struct JobSettings {
  std::string partition = {};               ///< several with commas; empty: the cluster's default
  std::string account = {};                 ///< empty: the user's default
  std::string qos = {};                     ///< empty: the default of account and partition
  std::chrono::milliseconds time{0};        ///< of a job; 0: not set
  std::chrono::milliseconds time_limit{0};  ///< the most that a retry requests; 0: no limit
  uint64_t memory = 0;                      ///< bytes of a job; 0: not set
  uint64_t memory_limit = 0;                ///< the most that a retry requests; 0: no limit
  int cores = 0;                            ///< of a job; 0: not set
  std::vector<std::string> options = {};    ///< "--constraint=avx512": for sbatch
  bool operator==(const JobSettings&) const = default;
};

/// The settings of the executor `slurm`.
struct SlurmSettings {
  JobSettings environment = {};
  JobSettings build = {};
  JobSettings test = {};
  std::map<std::string, std::string> gres = {};  ///< `--gres` by a pattern for computes
  std::string shared = {};  ///< an absolute directory on the shared file system; empty: not set
  std::chrono::milliseconds poll{0};   ///< between two checks of the queue; 0: not set
  std::chrono::milliseconds grace{0};  ///< of a job that Slurm no longer knows; 0: not set

  const JobSettings& of(JobKind kind) const;
  /// The `--gres` of a job that needs a GPU of this compute ("cuda/13.0"): the value for the
  /// compute itself, else for the longest pattern that matches it. "cuda" matches each version of
  /// CUDA, `default` each compute that nothing else matches. Empty: there is none.
  std::string gres_for(std::string_view compute) const;
};

/// A setting in effect, and the place that it comes from.
struct SettingOrigin {
  std::string key;    ///< "executor.slurm.build.time"
  std::string value;  ///< as written; lists in brackets
  Location at;
};

/// `executor` of the configuration files.
struct ExecutorSettings {
  std::string use = {};  ///< "local" or "slurm", if `--executor` is not given; empty: not set
  SlurmSettings slurm = {};
  std::vector<SettingOrigin> origins = {};  ///< of every setting, in the order of the files
};

/// The text of a configuration file, and its path for errors.
struct ConfigurationText {
  std::string file;
  std::string text;
};

/// Reads the configuration files of a user and of a project, in this order: a key of a later file
/// replaces the same key of an earlier one, and a whole list replaces a list. A file that has only
/// comments sets nothing. Errors of kind `config` with file:line:column: YAML errors as for a
/// matrix, unknown keys with the nearest valid name, and invalid values.
Result<ExecutorSettings> read_settings(const std::vector<ConfigurationText>& files);

}  // namespace pinwheel::slurm
