#pragma once
#include <string>
#include <utility>
#include <vector>

#include "ci/workflow_facts.h"

// A run with nothing new to do ends after its plan. A nightly compares the fingerprint of its plan
// with that of the last complete night, which is in the cache of the repository; a nightly that a
// person starts always runs. A pull request compares its changed files with `ci.on.paths`: with a
// filter of the trigger, the required check would never report, whereas a skipped job counts as
// passed. With `ci.on.keys`, it compares the keys of its steps with those of the results of the
// base, and runs only the variants whose keys differ.

namespace pinwheel::ci {

/// Whether a run of the set can have nothing to do.
bool may_be_idle(const WorkflowFacts& facts);

/// Whether git decides `ci.on.paths` as GitHub does: no exceptions and no quantifiers.
bool decidable_paths(const matrix::CiSettings& settings);

/// The condition of the steps of the job `plan` that an idle run skips; empty if it is never idle.
std::string not_idle(const WorkflowFacts& facts);

/// The step before the plan is frozen that looks at the files of a pull request; empty for other
/// sets.
std::string compare_with_paths(const WorkflowFacts& facts);
/// The steps after `compare_with_paths` that compare the keys of a pull request with those of its
/// base (`ci.on.keys`); empty otherwise. If they fail, everything runs.
std::string compare_with_base(const WorkflowFacts& facts, const std::string& options);
/// The arguments of `plan` that select the variants whose keys changed: none if nothing was
/// compared.
std::string changed_variants(const WorkflowFacts& facts);
/// If keys are compared, the step that lists the variants of a pull request after the plan is
/// frozen; empty otherwise.
std::string list_variants(const WorkflowFacts& facts);
/// The arguments that make a gate require only these variants; none if it requires all.
std::string planned_variants(const WorkflowFacts& facts);
/// The steps after the plan is frozen that compare it with the last night's; empty for other sets.
std::string compare_with_last_night(const WorkflowFacts& facts);
/// The outputs of the job, and their expressions: `idle`, "true" or not; `variants` if keys are
/// compared, and `fingerprint` for a nightly.
std::vector<std::pair<std::string, std::string>> idle_outputs(const WorkflowFacts& facts);

}  // namespace pinwheel::ci
