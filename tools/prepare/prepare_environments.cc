#include "prepare/prepare_environments.h"

#include <memory>
#include <utility>

#include "prepare/frozen_run.h"
#include "prepare/locks.h"
#include "prepare/plan_facts.h"
#include "prepare/stoppable.h"

namespace pinwheel::prepare {
namespace {

/// The packages of a run, and additional results of their source.
struct FoundPackages {
  Packages packages = {};
  std::vector<RecordedResolution> recorded = {};
  std::vector<LockFile> locks = {};
};

FoundPackages packages_alone(Packages packages) {
  return {std::move(packages)};
}

/// Finds the packages; one overload per source.
struct PackageFinder {
  const RunView& run;
  const Decided& decided;
  ports::Notices& notices;

  Result<FoundPackages> operator()(const FromFrozenPlan& source) const {
    return resolve_packages(run, decided, source.refresh, notices).map(packages_alone);
  }
  Result<FoundPackages> operator()(const FromRun& /*source*/) const {
    return resolve_packages(run, decided, Refresh::no, notices).map(packages_alone);
  }
  Result<FoundPackages> operator()(const FromLocks& source) const {
    TRY(const Decided of_locks, apply_locks(run, source.refresh, notices));
    return resolve_packages(run, of_locks, source.refresh, notices).map(packages_alone);
  }
  Result<FoundPackages> operator()(const FromIndexes& source) const {
    return resolve_packages(run, {}, source.refresh, notices).map(packages_alone);
  }
  Result<FoundPackages> operator()(const FromRecord& /*source*/) const {
    TRY(RecordedPackages recorded, recall_packages(run));
    for (const Error& error : recorded.errors) notices.warn(error);
    return FoundPackages{std::move(recorded.packages), std::move(recorded.environments)};
  }
  Result<FoundPackages> operator()(const ForLocks& source) const {
    TRY(LockedPackages locked, packages_for_locks(run, source, notices));
    return FoundPackages{std::move(locked.packages), {}, std::move(locked.locks)};
  }
};

/// The packages of a frozen plan or a report, once it is known to match; empty for any other
/// source.
Result<FrozenPackages> packages_given(const PackageSource& source, const RunView& run,
                                      const UsedImages& images, ports::Notices& notices) {
  if (const auto* const frozen = std::get_if<FromFrozenPlan>(&source)) {
    const std::vector<Error> others = other_images(images, frozen->plan.images);
    if (!others.empty()) return fail(others.front());
    return frozen_packages(frozen->plan, run, OtherPython::refuse, notices);
  }
  const auto* const repeated = std::get_if<FromRun>(&source);
  if (repeated == nullptr) return FrozenPackages{};
  for (const Error& difference : differences(*repeated, run.facts)) notices.warn(difference);
  const PinnedImages& pinned = repeated->origin.plan.images;
  for (const Error& image : other_images(images, pinned)) notices.warn(image);
  return frozen_packages(repeated->origin.plan, run, OtherPython::accept, notices);
}

PinnedImages pinned_by(const PackageSource& source) {
  if (const auto* const frozen = std::get_if<FromFrozenPlan>(&source)) return frozen->plan.images;
  if (const auto* const run = std::get_if<FromRun>(&source)) return run->origin.plan.images;
  return {};
}

/// `stop` ends the processes and containers that this starts.
Result<PreparedEnvironments> prepare_with_stop(const RunView& run, const PackageSource& source,
                                               const std::stop_token& stop,
                                               ports::Notices& notices) {
  host::Workplace workplace = run.workplace;
  workplace.stop = stop;
  const bool recall = std::holds_alternative<FromRecord>(source);
  TRY(PreparedContainers containers,
      recall ? recall_containers(run.host, run.scope, workplace)
             : prepare_containers(run.host, run.scope, workplace, pinned_by(source), notices));
  workplace.containers = containers.containers;
  plan::PlanFacts facts = with_containers(run.facts, containers);
  facts = with_pinned(std::move(facts), pinned_by(source));
  TRY(FrozenPackages frozen,
      packages_given(source, {run.host, run.scope, workplace, facts}, containers.images, notices));
  workplace.given = std::make_shared<const host::GivenResolutions>(std::move(frozen.given));
  const RunView known{run.host, run.scope, workplace, facts};
  TRY(FoundPackages packages, std::visit(PackageFinder{known, frozen.decided, notices}, source));
  workplace.stop = {};
  return PreparedEnvironments{std::move(workplace), std::move(containers.images),
                              with_packages(std::move(facts), packages.packages),
                              std::move(packages.recorded), std::move(packages.locks)};
}

}  // namespace

Result<PreparedEnvironments> prepare_environments(const RunView& run, const PackageSource& source,
                                                  ports::Notices& notices) {
  // Reading records starts no processes, so there is nothing to stop.
  if (std::holds_alternative<FromRecord>(source))
    return prepare_with_stop(run, source, {}, notices);
  return stoppable<PreparedEnvironments>(
      [&](const std::stop_token& stop) { return prepare_with_stop(run, source, stop, notices); });
}

}  // namespace pinwheel::prepare
