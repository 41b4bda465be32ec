#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "prepare/options.h"
#include "slurm/settings.h"
#include "store/place_description.h"

namespace pinwheel::prepare {

enum class ExecutorKind { local, slurm };

/// `--executor`, else PINWHEEL_EXECUTOR, else `executor.use` of the configuration files, unless an
/// option is given that jobs on other machines cannot follow (`check_remote_run`): then `local`.
Result<ExecutorKind> choose_executor(const RunOptions& options,
                                     const slurm::ExecutorSettings& settings);

/// `usage` for options that jobs on other machines cannot follow, and for a store that they cannot
/// share.
Done check_remote_run(const RunOptions& options,
                      const std::vector<store::PlaceDescription>& places);

/// `usage` for a caller in a step of srun (`slurm::is_in_step`): the steps that it starts would
/// wait for that step to end.
Done check_caller(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::prepare
