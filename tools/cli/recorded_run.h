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

/// Where the matrix and the source of a recorded run lie on this machine.
struct RecordedSource {
  std::string matrix;  ///< path of the matrix file
  std::optional<host::Worktree> worktree = std::nullopt;
};

/// The run's commit checked out at `place` (git's part is `git`), or this checkout. `config` when
/// the repository of the working directory has not got that commit.
Result<RecordedSource> recorded_source(const plan::RunOrigin& origin, SourceOf of,
                                       const std::filesystem::path& place,
                                       const host::GitProgram& git);

/// Prepares what a step needs as its run had it: version, date, levels, images, packages, the
/// variables that decide a build. `global` names the state and output directories of the
/// repetition. `environment` for a run of another architecture.
Result<PreparedRun> prepare_recorded_run(const GlobalOptions& global, const std::string& matrix,
                                         const plan::RunOrigin& origin, const std::string& step,
                                         const LevelOptions& levels, Streams& streams);

/// The variables of the user's that decided the builds of a run. Pure.
std::map<std::string, std::string> recorded_variables(const plan::RunOrigin& origin);

/// How this machine differs from a run that is repeated: source, matrix, compiler. Pure.
std::vector<Error> differences(const FromRun& run, const plan::PlanFacts& here);

}  // namespace pinwheel::cli
