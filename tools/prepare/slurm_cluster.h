#pragma once
#include <string>

#include "base/result.h"
#include "host/machine/env_machine.h"
#include "prepare/host.h"
#include "slurm/cluster.h"
#include "slurm/settings.h"

namespace pinwheel::prepare {

enum class TestJob { none, submit };

/// Fails with `usage` unless the executor, which runs a test job, is `slurm`. Empty: the default
/// one.
Done check_test_job(const std::string& executor);

/// Asks Slurm about the cluster, as the user of this process. Never fails: facts without a reply
/// are missing. Only the first question waits for a stuck controller or munge, at most a minute;
/// without a reply nothing else is asked. With `submit` a job of a few seconds runs on a node, with
/// the settings of builds: it looks for a file in the shared directory and for `program`.
slurm::ClusterFacts gather_cluster_facts(const Host& host, const host::EnvMachine& machine,
                                         const slurm::SlurmSettings& settings, TestJob test_job,
                                         const std::string& program);

/// The settings, with requests that grow only as far as the cluster allows, or the Slurm job that
/// this process runs in (`slurm/growth_limits`). Unchanged if Slurm does not respond.
slurm::SlurmSettings within_limits(const Host& host, const host::EnvMachine& machine,
                                   slurm::SlurmSettings settings);

}  // namespace pinwheel::prepare
