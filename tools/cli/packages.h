#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/package_source.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "plan/make_plan.h"

namespace pinwheel::cli {

/// The exact packages of a run's environments and toolkits, by digest.
struct Packages {
  std::map<std::string, std::string> resolutions = {};     ///< as `PlanFacts::resolutions`
  std::map<std::string, plan::ToolkitFact> toolkits = {};  ///< as `PlanFacts::toolkits`
};

/// Digests of the requests whose resolution a lock or a frozen plan decides, and which is on
/// record.
using Decided = std::set<std::string>;

/// Finds the packages of every environment that the run needs: those that are decided, those on
/// record (unless `refresh`), and the others by asking the indexes. Tells what it resolves, since
/// it may take a while.
Result<Packages> resolve_packages(const RunView& run, const Decided& decided, Refresh refresh,
                                  Streams& streams);

/// An environment that the plan needs, and how old what it means is.
struct RecordedResolution {
  std::string environment;                                 ///< "Python 3.11, torch~=2.13.0"
  std::optional<std::chrono::seconds> age = std::nullopt;  ///< none: resolved when it is needed
};

/// The packages that are on record.
struct RecordedPackages {
  Packages packages = {};
  std::vector<RecordedResolution> environments = {};
};

/// Finds them; asks no index.
Result<RecordedPackages> recall_packages(const RunView& run);

}  // namespace pinwheel::cli
