#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/gather.h"
#include "cli/one_variant.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/git/worktree.h"
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

/// Gathers and plans what a step needs as its run had it: version, date, levels, images, packages,
/// the variables that decide a build. `global` names the state and output directories of the
/// repetition. Warnings tell what could not be had: another compiler, another Python, a source with
/// changes that were never committed. `environment` for a run of another architecture.
Result<OneVariant> gather_recorded_run(const GlobalOptions& global, const std::string& matrix,
                                       const plan::RunOrigin& origin, const std::string& step,
                                       const LevelOptions& levels, Streams& streams);

}  // namespace pinwheel::cli
