#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "host/run/stored_checkpoints.h"
#include "matrix/settings.h"
#include "plan/outcome.h"
#include "plan/step.h"
#include "ports/clock.h"
#include "ports/files.h"
#include "prepare/host.h"
#include "session/console.h"
#include "store/domain.h"

namespace pinwheel::session {

/// The checkpoints of a run.
struct RunCheckpoints {
  std::shared_ptr<host::StoredCheckpoints> stored = {};  ///< null: no build saves any
  std::filesystem::path directory = {};  ///< has only these; empty: they are in the store
};

/// The settings of a build that saves checkpoints; null for other steps.
const matrix::CheckpointSettings* checkpoint_settings(const plan::Step& step);

/// Where the builds of a run may save checkpoints.
struct CheckpointPlaces {
  std::string named = {};        ///< the directory of `--checkpoints`; empty: none
  const host::OpenStore& store;  ///< opens the store of the run; empty: the run writes to none
  const std::filesystem::path& state;  ///< of the run
  store::Domain domain = store::Domain::branch;
};

/// Builds save checkpoints in the named directory, else in the store, else below the state
/// directory.
RunCheckpoints open_checkpoints(const CheckpointPlaces& places,
                                const std::vector<const plan::Step*>& steps);

/// Reports the faults of the store of the checkpoints. Empties the directory of checkpoints if it
/// has none of an unfinished build.
void close_checkpoints(ports::Files& files, const RunCheckpoints& checkpoints,
                       const plan::Report& report, Console& console);

/// When the time of a run ends: at its limit, or at the end of its Slurm job. `usage` if
/// builds with checkpoints would be stopped before they start.
Result<std::optional<std::chrono::steady_clock::time_point>> end_of_run(
    const prepare::Host& host, const host::Workplace& workplace,
    const std::vector<const plan::Step*>& steps,
    const std::optional<std::chrono::steady_clock::time_point>& limit);

}  // namespace pinwheel::session
