#pragma once
#include <vector>

#include "base/result.h"
#include "cli/gather.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/machine/workplace.h"
#include "plan/frozen.h"
#include "plan/origin.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// What a run was decided by, as values that another machine can take over: version, date, levels,
/// images, packages.
Result<plan::FrozenPlan> freeze(ports::Files& files, const Undertaking& what, const Facts& facts,
                                const host::Workplace& workplace, const LevelOptions& levels);

/// The same with where the matrix comes from and what of the user's variables decides a build.
Result<plan::RunOrigin> origin_of(ports::Files& files, ports::Git& git, const Undertaking& what,
                                  const Facts& facts, const host::Workplace& workplace,
                                  const LevelOptions& levels);

/// The levels of a run that carries out a frozen plan: the plan's. Which engine runs its containers
/// is this machine's business. `usage` where the command line asks for other levels.
Result<LevelOptions> frozen_levels(LevelOptions asked, const plan::FrozenPlan& frozen);

/// What a frozen plan fixes beyond its packages takes the place of what this run found out.
void take_frozen(const plan::FrozenPlan& frozen, Facts& facts);

/// The images that differ from those that are pinned: `drift`, each with its base.
std::vector<Error> other_images(const Facts& facts);

/// Whose patch release of Python counts when the machine's is not the frozen one.
enum class OtherPython { refuse, accept };

/// Records the packages of a frozen plan as the resolutions of their requests and enters those into
/// `facts.locked`. Indexes have the credentials that the matrix knows. `accept`: a warning says
/// where level 2 by venv has another patch release of Python here.
Done record_frozen(const plan::FrozenPlan& frozen, const Undertaking& what,
                   const host::Workplace& workplace, OtherPython other, Streams& streams,
                   Facts& facts);

}  // namespace pinwheel::cli
