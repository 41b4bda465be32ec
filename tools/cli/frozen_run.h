#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/packages.h"
#include "cli/prepare_containers.h"
#include "cli/prepare_run.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "plan/frozen.h"
#include "plan/origin.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// What a run was decided by, as values that another machine can take over: version, date, levels,
/// images, packages.
Result<plan::FrozenPlan> freeze(ports::Files& files, const GatheredRun& run);

/// The same with where the matrix comes from and what of the user's variables decides a build.
Result<plan::RunOrigin> origin_of(ports::Files& files, ports::Git& git, const GatheredRun& run);

/// The levels of a run that carries out a frozen plan: the plan's. Which engine runs its containers
/// is this machine's business. `usage` where the command line asks for other levels.
Result<LevelOptions> frozen_levels(LevelOptions asked, const plan::FrozenPlan& frozen);

/// The version facts with what a frozen plan fixes in the place of what was found here. Pure.
VersionFacts frozen_version(VersionFacts here, const plan::FrozenPlan& frozen);

/// The part of an outline that a frozen plan has as well: a job may take its share of a plan. Pure.
plan::Outline narrowed(const Loaded& loaded, const plan::Outline& outline,
                       const plan::FrozenPlan& frozen);

/// The images that differ from those that are pinned: `drift`, each with its base. Pure.
std::vector<Error> other_images(const UsedImages& images, const PinnedImages& pinned);

/// Whose patch release of Python counts when the machine's is not the frozen one.
enum class OtherPython { refuse, accept };

/// Records the packages of a frozen plan as the resolutions of their requests, and returns the
/// requests of this run among them. Indexes have the credentials that the matrix knows. `accept`: a
/// warning says where the machine's own Python is another patch release here.
Result<Decided> record_frozen(const plan::FrozenPlan& frozen, const RunView& run, OtherPython other,
                              Streams& streams);

}  // namespace pinwheel::cli
