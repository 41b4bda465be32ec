#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/git/worktree.h"
#include "plan/make_plan.h"
#include "plan/origin.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "prepare/package_source.h"
#include "prepare/prepared_run.h"

namespace pinwheel::prepare {

enum class SourceOf { recorded_commit, this_checkout };

/// The location of a recorded run's matrix and source on this machine.
struct RecordedSource {
  std::string matrix;  ///< path of the matrix file
  std::optional<host::Worktree> worktree = std::nullopt;
};

/// The run's commit, checked out at `place` by `git`, or this checkout. `config` if the repository
/// of the working directory does not have that commit.
Result<RecordedSource> recorded_source(const Host& host, const plan::RunOrigin& origin, SourceOf of,
                                       const std::filesystem::path& place,
                                       const host::GitProgram& git);

/// A step of a recorded run, and the levels that the command line requests.
struct RecordedStep {
  const plan::RunOrigin& origin;
  const std::string& step;
  const LevelOptions& levels;
};

/// Prepares a step with the inputs of its run: version, date, levels, images, packages, the
/// variables that affect a build. `global` has the state and output directories of the repetition.
/// `environment` for a run on a different architecture.
Result<PreparedRun> prepare_recorded_run(const Host& host, const GlobalOptions& global,
                                         const std::string& matrix, const RecordedStep& recorded,
                                         ports::Notices& notices);

}  // namespace pinwheel::prepare
