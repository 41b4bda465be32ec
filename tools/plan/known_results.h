#pragma once
#include <set>
#include <string>
#include <vector>

#include "plan/reuse.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// Whether a result of this step may be used elsewhere: that of a build, an sdist or a test.
/// Environments and toolkits are made where they are needed, and a publication happens once.
bool travels(const Step& step);

/// A step whose result can be looked up before anything runs.
struct OpenStep {
  const Step* step = nullptr;  ///< of the plan
  KeyParts parts = {};         ///< of the result
  std::string key = {};
};

/// The steps that travel and are not among the results, and whose key is complete: everything they
/// need is a result, or an environment or a toolkit, whose product is its key wherever it is made.
/// In plan order. Results that are found open further steps.
std::vector<OpenStep> open_steps(const Plan& plan, const Results& results);

/// Whether the packages of an environment or a toolkit are not chosen yet: its key is not what it
/// will be.
bool is_unresolved(const Step& step);

/// The key of a step, as far as it is known before anything runs.
struct PartialKey {
  KeyParts parts = {};
  std::set<std::string> unknown = {};  ///< ids of the needs whose part is left out
};

/// That of a step of the plan: what it needs is known if it is a result, or a resolved environment
/// or toolkit.
PartialKey partial_key(const Plan& plan, const Results& results, const std::string& step);

/// The names of the parts of a result that differ from those of the step here, sorted: why a result
/// of the same frozen plan, made elsewhere, cannot stand for it. The compiler and the toolkit are
/// facts of the machine that made it, which a plan does not fix; they do not count.
std::vector<std::string> disagreements(const KeyParts& here, const KeyParts& there);

/// The plan without the environments and toolkits that are needed only by steps with a result, and
/// are none themselves. Their products stay in the keys of these steps.
Plan without_idle(const Plan& plan, const Results& results);

/// The outcomes of the steps that have a result, in plan order, as `find_result` gives them: also
/// of those beside an environment that is still to be made.
std::vector<StepOutcome> known_outcomes(const Plan& plan, const Results& results);

/// For a run that reuses only: the ids of the steps that travel, were not requested and have no
/// result, in plan order.
std::vector<std::string> missing_steps(const Plan& plan, const Results& results,
                                       const std::set<std::string>& requested);

}  // namespace pinwheel::plan
