#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "plan/origin.h"
#include "plan/outline.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/options.h"
#include "prepare/packages.h"
#include "prepare/prepare_containers.h"
#include "prepare/prepared_run.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The decisions of a run, as values that another machine can use: version, date, levels, images,
/// packages, the user's variables that affect a build. `config` if no JSON can hold them.
Result<plan::FrozenPlan> freeze(const Host& host, const GatheredRun& run);

/// The same, plus the state of the checkout.
Result<plan::RunOrigin> origin_of(const Host& host, const GatheredRun& run);

/// The levels of a run of a frozen plan: those of the plan. The container engine may be chosen on
/// this machine. `usage` if the command line requests other levels.
Result<LevelOptions> frozen_levels(LevelOptions requested, const plan::FrozenPlan& frozen);

/// The version facts of this checkout, with values from a frozen plan replacing them. Pure.
VersionFacts frozen_version(VersionFacts here, const plan::FrozenPlan& frozen);

/// The images that differ from the pinned ones: `drift`, each with its base. Pure.
std::vector<Error> other_images(const UsedImages& images, const PinnedImages& pinned);

/// The differences between this machine and a run to repeat: source, matrix, compiler. Pure.
std::vector<Error> differences(const FromRun& run, const plan::PlanFacts& here);

/// Whether a run accepts another patch release of Python than the frozen one.
enum class OtherPython { refuse, accept };

/// The packages of a frozen plan for one run.
struct FrozenPackages {
  host::GivenResolutions given = {};
  Decided decided = {};  ///< the digests of their requests
};

/// The packages of a frozen plan, for this run only: no record of them remains for another. Indexes
/// get their credentials from the matrix. `accept`: warns if the machine's Python is a different
/// patch release. `config` for packages that cannot be read.
Result<FrozenPackages> frozen_packages(const plan::FrozenPlan& frozen, const RunView& run,
                                       OtherPython other, ports::Notices& notices);

/// The part of a frozen plan that the command line selects; by default all of it, whatever the
/// status of its variants, which the plan has decided. `drift` if the matrix lacks a variant of the
/// plan; `nothing_selected`, unless `--allow-empty`, if the selection contains nothing of it; and
/// the errors of `select_outline`. Pure.
Result<plan::Outline> frozen_outline(const Loaded& loaded, const SelectionOptions& selection,
                                     const std::vector<std::string>& globs,
                                     const plan::FrozenPlan& frozen);

/// Compares a frozen plan with the checkout before anything runs: the plan's commit must be HEAD,
/// and its version that of the commit. `drift` otherwise. A plan may come from anywhere, and its
/// version is part of every name. The date of a nightly is not compared. Nothing is compared for a
/// calendar version, for a package without a repository, and if history is missing.
Done check_checkout(const Host& host, const Loaded& loaded, const plan::FrozenPlan& frozen);

/// `drift` if a plan lacks selected variants of its channel: without a selection, a release has all
/// of them. Pure.
Done check_has_channel(const Loaded& loaded, const SelectionOptions& selection,
                       const std::vector<std::string>& globs, const plan::FrozenPlan& frozen);

}  // namespace pinwheel::prepare
