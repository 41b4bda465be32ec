#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/step.h"

namespace pinwheel::slurm {

/// The part of a cluster that this process may use: a job that sbatch, srun or salloc started on
/// this node.
struct Allocation {
  std::string job;                            ///< "17"
  std::vector<std::string> nodes = {};        ///< all nodes of the job, in Slurm's order
  std::vector<int> node_cores = {};           ///< of each node; empty: unknown
  int cores = 0;                              ///< on this node; 0: unknown
  uint64_t memory = 0;                        ///< bytes on this node; 0: all of its memory
  std::optional<int64_t> end = std::nullopt;  ///< seconds since 1970; nullopt: unknown
};

/// Reads `SLURM_*` variables (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES"). nullopt outside a job,
/// and in a shell of salloc on the login node, where `SLURMD_NODENAME` is not set. Damaged
/// variables count as absent.
std::optional<Allocation> read_allocation(const std::map<std::string, std::string>& variables);

/// Whether the process is in a step of a job that srun started, "srun pinwheel": such a step
/// reserves its resources, so further steps of the job would wait for it to end. The shell of an
/// sbatch script, or of salloc on a node, is not such a step (`SLURM_STEP_ID`; the internal steps
/// of Slurm have numbers from 0xfffffff0 on).
bool is_in_step(const std::map<std::string, std::string>& variables);

/// "n[1-3,07],m1" -> n1, n2, n3, n07, m1, with the leading zeros of each range, as `scontrol show
/// hostnames`. Empty for a malformed list, and for one of more than 100,000 hosts.
std::vector<std::string> expand_hosts(std::string_view list);

/// "2(x3),1" -> 2, 2, 2, 1. Empty for a malformed list.
std::vector<int> expand_counts(std::string_view list);

/// An error of kind `timeout` if a step may take longer than the rest of the allocation: if its
/// 90th percentile in earlier runs is longer. A step that was never measured may start.
Done check_time_left(const plan::Step& step, const std::string& job, std::chrono::seconds left);

}  // namespace pinwheel::slurm
