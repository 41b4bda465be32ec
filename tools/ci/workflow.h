#pragma once
#include <string>
#include <string_view>

#include "ci/workflow_facts.h"

namespace pinwheel::ci {

/// The text of a workflow: one file of plain jobs, since an index trusts no reusable workflow
/// (PyPI's documentation of trusted publishers): plan, builds, tests, gate, publication. It has
/// places for a person's own lines (ci/kept.h).
std::string workflow_text(const WorkflowFacts& facts, WorkflowSet set);

/// The matrix file that a workflow was generated from; empty if it was not generated.
std::string written_from(std::string_view text);

}  // namespace pinwheel::ci
