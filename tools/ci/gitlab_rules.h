#pragma once
#include <string>
#include <vector>

#include "ci/workflow_facts.h"

// When the jobs of GitLab's pipelines run.

namespace pinwheel::ci {

enum class RunWhen { usual, always };

/// The patterns of `rules:changes`, in which a `**` at the end matches only one level. Empty if
/// GitLab does not support one of the patterns in the paths, or does not accept that many.
std::vector<std::string> changed_paths(const WorkflowFacts& facts);

/// The lines `rules:` of the jobs of a workflow: the events under which they run.
std::string rules_text(const WorkflowFacts& facts, RunWhen when);

}  // namespace pinwheel::ci
