#pragma once
#include <vector>

#include "slurm/allocation.h"
#include "slurm/cluster.h"
#include "slurm/settings.h"

namespace pinwheel::slurm {

// A request that grows beyond what the cluster can give would be rejected, or wait forever, and
// that error would hide the first one. So a job that cannot grow reports its own end.

/// The settings with limits that are at most the longest time and the largest node of the
/// partitions in which jobs of a kind may run. An unknown or unlimited value does not limit the
/// growth.
SlurmSettings within_cluster(SlurmSettings settings, const std::vector<Partition>& partitions,
                             const std::vector<ClusterNode>& nodes);

/// The same for steps of an allocation: they have no separate time limit, and at most the memory of
/// a node.
SlurmSettings within_allocation(SlurmSettings settings, const Allocation& allocation);

}  // namespace pinwheel::slurm
