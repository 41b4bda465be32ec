#pragma once
#include <string>
#include <vector>

#include "doctor/doctor.h"
#include "slurm/cluster.h"
#include "slurm/settings.h"

namespace pinwheel::slurm {

/// The lines of `pinwheel doctor --executor slurm`: programs and version, controller, partitions,
/// time limits, memory, arrays, GPUs, accounting, jobs that wait in vain, the shared directory, a
/// test job, variables, and each setting with its origin. If the controller does not respond, the
/// lines that need it are omitted. `computes` are those of a matrix, if one was named. Pure.
std::vector<doctor::DoctorLine> diagnose_cluster(const ClusterFacts& facts,
                                                 const ExecutorSettings& settings,
                                                 const std::vector<std::string>& computes);

/// `{"format": 1, "executor": "slurm", "lines": [{"name", "verdict", "found", "allows", "fix"}],
/// "settings": [{"key", "value", "file", "line"}]}`.
std::string to_json(const ExecutorSettings& settings, const std::vector<doctor::DoctorLine>& lines);

}  // namespace pinwheel::slurm
