#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ci/job.h"
#include "ci/workflow_facts.h"

namespace pinwheel::ci {

/// A workflow of GitHub Actions, made once from its facts: `ci generate` writes it as YAML, `ci
/// explain` explains its jobs.
struct Workflow {
  std::string name;         ///< "pinwheel-ci", also that of its file without `.yml`
  std::string matrix;       ///< the path of the matrix file from which it is generated
  std::string triggers;     ///< YAML below `on:`
  std::string concurrency;  ///< YAML below `concurrency:`
  std::vector<Job> jobs;    ///< in the order of the file
};

/// Plan, builds, tests, gate and publications.
Workflow make_workflow(const WorkflowFacts& facts);

/// The text of its file: plain jobs, because an index trusts no reusable workflow (PyPI's
/// documentation of trusted publishers). It has places for a person's own lines (ci/own_lines.h).
std::string yaml_of(const Workflow& workflow);

/// The first line of a file that is generated from a matrix.
std::string written_line(std::string_view matrix);

/// The matrix file from which a workflow was generated; empty if it was not generated.
std::string written_from(std::string_view text);

}  // namespace pinwheel::ci
