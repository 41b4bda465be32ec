#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "slurm/queue.h"

namespace pinwheel::slurm {

/// A partition, as `scontrol show partition --oneliner` prints it.
struct Partition {
  std::string name;
  bool up = false;
  bool is_default = false;
  std::optional<std::chrono::seconds> longest = {};  ///< `MaxTime`; nullopt: unlimited
  int nodes = 0;
};

/// A node, as `scontrol show node --oneliner` prints it.
struct ClusterNode {
  std::string name;
  std::set<std::string> partitions = {};
  std::string gres = {};  ///< "gpu:a100:2(S:0-1),shard:4"; empty: none
  uint64_t memory = 0;    ///< bytes that jobs can have; 0: unknown
};

/// What a test job found on a node.
struct JobProbe {
  bool ran = false;
  std::string problem = {};   ///< if the job did not run: the last line of srun
  bool sees_shared = false;   ///< whether it read the file written here
  std::string pinwheel = {};  ///< the version of pinwheel at the same path; empty: none
};

enum class SharedDirectory { not_set, missing, read_only, writable };

/// What is known about a cluster, gathered once.
struct ClusterFacts {
  std::set<std::string> programs = {};  ///< those of `kSlurmPrograms` that are on PATH
  std::string version = {};             ///< "22.05.8"; empty: sbatch printed none
  std::string problem = {};             ///< why the controller does not respond; empty: it does
  std::map<std::string, std::string> config = {};  ///< from `scontrol show config`
  std::vector<Partition> partitions = {};
  std::vector<ClusterNode> nodes = {};
  /// How many jobs of the last day the caller has in the accounting; nullopt: no reply of sacct.
  std::optional<size_t> accounted = {};
  std::vector<Job> jobs = {};  ///< of the caller, as the controller remembers them
  /// Variables of the caller that change what sbatch or squeue do.
  std::vector<std::string> variables = {};
  SharedDirectory shared = SharedDirectory::not_set;
  std::optional<JobProbe> probe = {};  ///< nullopt: no job was requested
  std::string pinwheel = {};           ///< this program's path
  std::string pinwheel_version = {};
};

/// The commands that the executor runs; sacct is optional.
inline constexpr const char* kSlurmPrograms[] = {"sbatch",   "squeue", "scancel",
                                                 "scontrol", "srun",   "sacct"};

/// "22.05.8" for "slurm-wlm 22.05.8", "23.02.6" for "slurm 23.02.6"; empty for other text.
std::string read_version(std::string_view text);
/// Whether the formats of `slurm/queue` apply to the release: 20.11 or newer.
bool is_supported(std::string_view version);

/// "1-00:00:00", "01:00:00", "10:00", "30" (minutes). nullopt for UNLIMITED and other text.
std::optional<std::chrono::seconds> read_time(std::string_view text);

std::vector<Partition> read_partitions(std::string_view output);
std::vector<ClusterNode> read_nodes(std::string_view output);
/// `NAME = VALUE` on each line.
std::map<std::string, std::string> read_config(std::string_view output);

/// Why `scontrol ping` failed, in words, from its output and errors.
std::string ping_problem(std::string_view out, std::string_view err);

/// The variables for a command of Slurm, "squeue": the caller's, except those that are options of
/// Slurm's commands (`SBATCH_*`, `SQUEUE_*`, `SLURM_CLUSTERS` and others), which could hide jobs or
/// replace what a script requests. sbatch gets those of `overriding_variables`. Times are printed
/// as seconds since 1970.
std::map<std::string, std::string> command_variables(std::map<std::string, std::string> variables,
                                                     std::string_view program);

/// The names among variables that sbatch reads in place of options and that apply to all jobs:
/// `SBATCH_ACCOUNT`, `SBATCH_PARTITION`, `SBATCH_QOS`, `SBATCH_RESERVATION`; sorted.
std::vector<std::string> overriding_variables(const std::map<std::string, std::string>& variables);

/// Whether a node's `Gres=` has what a job requests with `--gres`: each of its comma-separated
/// parts, with at least that count.
bool provides(std::string_view gres, std::string_view requested);

}  // namespace pinwheel::slurm
