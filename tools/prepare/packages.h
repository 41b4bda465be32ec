#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/request.h"
#include "plan/make_plan.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/package_source.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The exact packages of a run's environments and toolkits, by digest.
struct Packages {
  std::map<std::string, std::string> resolutions = {};     ///< as `PlanFacts::resolutions`
  std::map<std::string, plan::ToolkitFact> toolkits = {};  ///< as `PlanFacts::toolkits`
};

/// The environments of builds and tests; those of tests on distributions come last.
Result<std::vector<env::Request>> environment_requests(const RunView& run);

/// Digests of the requests whose resolution comes from a lock or a frozen plan, and is recorded.
using Decided = std::set<std::string>;

/// Finds the packages of every environment that the run needs: decided ones, recorded ones (unless
/// `refresh`), and others by resolving them from the indexes. Prints a notice for each resolution,
/// because it may take a while.
Result<Packages> resolve_packages(const RunView& run, const Decided& decided, Refresh refresh,
                                  ports::Notices& notices);

/// Upgrades packages of a request in its own environment, here or in its container. Its other
/// packages stay at their locked versions. Returns the recorded resolution.
Result<env::Resolution> upgrade_packages(const Host& host, const host::Workplace& workplace,
                                         const env::Request& request, const host::Upgrade& upgrade,
                                         ports::Notices& notices);

/// An environment that the plan needs, and the age of its resolution.
struct RecordedResolution {
  std::string environment;                                 ///< "Python 3.11, torch~=2.13.0"
  std::optional<std::chrono::seconds> age = std::nullopt;  ///< nullopt: not resolved yet
};

/// The recorded packages.
struct RecordedPackages {
  Packages packages = {};
  std::vector<RecordedResolution> environments = {};
  std::vector<Error> errors = {};  ///< for toolkits that builds need and nothing provides
};

/// Finds them; uses no index.
Result<RecordedPackages> recall_packages(const RunView& run);

}  // namespace pinwheel::prepare
