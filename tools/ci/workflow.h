#pragma once
#include <string>

#include "ci/workflow_facts.h"

namespace pinwheel::ci {

/// The text of a workflow: one file of plain jobs, since an index trusts no reusable workflow
/// (PyPI's documentation of trusted publishers): plan, builds, tests, gate, publication. It has
/// places for a person's own lines (ci/kept.h).
std::string workflow_text(const WorkflowFacts& facts, WorkflowSet set);

}  // namespace pinwheel::ci
