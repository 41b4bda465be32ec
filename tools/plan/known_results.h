#pragma once
#include <set>
#include <string>
#include <vector>

#include "plan/reuse.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// Whether a result of this step may be used elsewhere: that of a build, device code, an sdist, a
/// test, an installation, or the first publication of a release that is promoted, whose record the
/// others need. Environments and toolkits are made where they are needed, and any other publication
/// happens once.
bool is_shareable(const Step& step);

/// A step whose result can be looked up before anything runs.
struct SearchableStep {
  const Step* step = nullptr;  ///< of the plan
  KeyParts parts = {};         ///< of the result
  std::string key = {};
};

/// The steps whose results are shared and missing, and whose key is complete: every need has a
/// result, or is an environment or a toolkit, whose product is always its key. Device code is
/// listed only if a build that uses it has no result. In plan order. Each result that is
/// found completes keys of further steps.
std::vector<SearchableStep> searchable_steps(const Plan& plan, const Results& results);

/// Whether the packages of an environment or a toolkit are not resolved yet, so that its key will
/// change.
bool is_unresolved(const Step& step);

/// The key of a step, as far as it is known before anything runs.
struct PartialKey {
  KeyParts parts = {};
  std::set<std::string> unknown = {};  ///< ids of the needs whose part is missing
};

/// The key of a step of the plan. A need is known if it has a result, or is a resolved environment
/// or toolkit.
PartialKey partial_key(const Plan& plan, const Results& results, const std::string& step);

/// The names of the parts in which a result differs from the step here, sorted: the reasons why a
/// result of the same frozen plan from another machine cannot be used. The compiler and the toolkit
/// are facts of the machine, which a plan does not fix; they do not count.
std::vector<std::string> disagreements(const KeyParts& here, const KeyParts& there);

/// For a run that executes only the `named` steps: the plan without other device code that has no
/// result, because a build then compiles it itself. Without names, the whole plan, because the run
/// executes all steps.
Plan without_device_code(Plan plan, const Results& results, const std::vector<std::string>& named);

/// The plan without device code that has no result and is needed only by builds with one.
Plan without_unused_device_code(Plan plan, const Results& results);

/// The plan without environments, toolkits and device code that have no result and are needed only
/// by steps with a result. Their products remain in the keys of these steps.
Plan without_idle(const Plan& plan, const Results& results);

/// The outcomes of the steps with a result, in plan order, as `find_result` returns them; including
/// results whose environment is still to be made.
std::vector<StepOutcome> known_outcomes(const Plan& plan, const Results& results);

/// For a run that reuses only: the ids of the steps whose results are shared, that were not
/// requested and have no result, in plan order.
std::vector<std::string> missing_steps(const Plan& plan, const Results& results,
                                       const std::set<std::string>& requested);

}  // namespace pinwheel::plan
