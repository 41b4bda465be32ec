#pragma once
#include "base/result.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "prepare/store_places.h"
#include "slurm/settings.h"
#include "store/place_description.h"

namespace pinwheel::prepare {

/// The configuration files of the user, `$XDG_CONFIG_HOME/pinwheel/config.yaml`, and of the
/// project,
/// `.pinwheel.yaml` in the working directory. A missing file sets nothing.
Result<slurm::ExecutorSettings> read_executor_settings(const Host& host);

enum class ExecutorKind { local, slurm };

/// `--executor`, else PINWHEEL_EXECUTOR, else `executor.use` of the configuration files.
Result<ExecutorKind> choose_executor(const RunOptions& options,
                                     const slurm::ExecutorSettings& settings);

/// `usage` for options that jobs on other machines cannot follow, and for a store that they cannot
/// share.
Done check_remote_run(const RunOptions& options,
                      const std::vector<store::PlaceDescription>& places);

}  // namespace pinwheel::prepare
