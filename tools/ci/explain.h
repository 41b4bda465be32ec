#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/job_rows.h"
#include "ci/planned_workflow.h"
#include "plan/outline.h"

namespace pinwheel::ci {

/// The output of `ci explain` for a job.
struct Explanation {
  std::string text;
  nlohmann::ordered_json json;
  std::vector<Error> warnings = {};  ///< requirements that the job cannot meet
};

/// Explains a job of the workflows, by its id or by the name that GitHub shows; or one of the rows,
/// by its step, by its name or by its artifact. `outline` is that of the rows. `usage`, with the
/// nearest name, if there is no such job, and for a test without a runner. Pure.
Result<Explanation> explain(const std::string& name, const std::vector<PlannedWorkflow>& workflows,
                            const std::vector<JobRow>& rows, const plan::Outline& outline);

}  // namespace pinwheel::ci
