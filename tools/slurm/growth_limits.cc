#include "slurm/growth_limits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"

namespace pinwheel::slurm {
namespace {

using std::chrono::milliseconds;

std::array<JobSettings*, 3> all_kinds(SlurmSettings& settings) {
  return {&settings.environment, &settings.build, &settings.test};
}

/// The smaller of two limits; 0 means no limit.
template <class Amount>
Amount stricter(Amount one, Amount other) {
  if (one == Amount{0} || other == Amount{0}) return std::max(one, other);
  return std::min(one, other);
}

/// Whether jobs of a kind may run in a partition.
bool may_use(const JobSettings& job, const Partition& partition) {
  if (job.partition.empty()) return partition.is_default;
  const std::vector<std::string> names = split(job.partition, ',');
  return std::ranges::find(names, partition.name) != names.end();
}

/// The longest time that one of the partitions allows; 0: one has no limit, or there is none.
milliseconds longest_in(const std::vector<const Partition*>& partitions) {
  milliseconds longest{0};
  for (const Partition* const each : partitions) {
    if (!each->longest) return milliseconds(0);
    longest = std::max(longest, milliseconds(*each->longest));
  }
  return longest;
}

/// The memory of the largest node in one of the partitions; 0: that of one is unknown.
uint64_t largest_in(const std::vector<const Partition*>& partitions,
                    const std::vector<ClusterNode>& nodes) {
  uint64_t largest = 0;
  for (const ClusterNode& node : nodes) {
    const bool here = std::ranges::any_of(partitions, [&node](const Partition* partition) {
      return node.partitions.contains(partition->name);
    });
    if (!here) continue;
    if (node.memory == 0) return 0;
    largest = std::max(largest, node.memory);
  }
  return largest;
}

}  // namespace

SlurmSettings within_cluster(SlurmSettings settings, const std::vector<Partition>& partitions,
                             const std::vector<ClusterNode>& nodes) {
  for (JobSettings* const job : all_kinds(settings)) {
    std::vector<const Partition*> own;
    own.reserve(partitions.size());
    for (const Partition& each : partitions) {
      if (may_use(*job, each)) own.push_back(&each);
    }
    job->time_limit = stricter(job->time_limit, longest_in(own));
    job->memory_limit = stricter(job->memory_limit, largest_in(own, nodes));
  }
  return settings;
}

SlurmSettings within_allocation(SlurmSettings settings, const Allocation& allocation) {
  for (JobSettings* const job : all_kinds(settings)) {
    // Below every request, so that none can grow.
    job->time_limit = milliseconds(1);
    job->memory_limit = stricter(job->memory_limit, allocation.memory);
  }
  return settings;
}

}  // namespace pinwheel::slurm
