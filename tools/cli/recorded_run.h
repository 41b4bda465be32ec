#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/package_source.h"
#include "cli/prepare_run.h"
#include "cli/streams.h"
#include "host/git/worktree.h"
#include "plan/make_plan.h"
#include "plan/origin.h"

namespace pinwheel::cli {

enum class SourceOf { recorded_commit, this_checkout };

/// The location of a recorded run's matrix and source on this machine.
struct RecordedSource {
  std::string matrix;  ///< path of the matrix file
  std::optional<host::Worktree> worktree = std::nullopt;
};

/// `config` if the path of a matrix leaves the repository: reports and plans come from anywhere.
/// Pure.
Done check_matrix_path(const std::string& path);

/// The run's commit, checked out at `place` by `git`, or this checkout. `config` if the repository
/// of the working directory does not have that commit.
Result<RecordedSource> recorded_source(const plan::RunOrigin& origin, SourceOf of,
                                       const std::filesystem::path& place,
                                       const host::GitProgram& git);

/// Prepares everything that a step needs as in its run: version, date, levels, images, packages,
/// the variables that affect a build. `global` has the state and output directories of the
/// repetition. `environment` for a run on a different architecture.
Result<PreparedRun> prepare_recorded_run(const GlobalOptions& global, const std::string& matrix,
                                         const plan::RunOrigin& origin, const std::string& step,
                                         const LevelOptions& levels, Streams& streams);

/// The differences between this machine and a run to repeat: source, matrix, compiler. Pure.
std::vector<Error> differences(const FromRun& run, const plan::PlanFacts& here);

}  // namespace pinwheel::cli
