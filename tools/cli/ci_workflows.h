#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/planned_workflow.h"
#include "prepare/load.h"

namespace pinwheel::cli {

/// The requested workflows: by their names, else all whose channel the matrix declares, and always
/// `ci`. `matrix_path` is that of the matrix in its repository. `config` if the matrix lacks the
/// channel of a requested one.
Result<std::vector<ci::PlannedWorkflow>> planned_workflows(
    const prepare::Loaded& loaded, const std::vector<std::string>& names,
    const std::filesystem::path& matrix_path);

}  // namespace pinwheel::cli
