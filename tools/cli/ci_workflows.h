#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/planned_workflow.h"
#include "prepare/load.h"

namespace pinwheel::cli {

/// The workflows that are asked for: by their names, else all whose channel the matrix declares,
/// and always `ci`. `matrix_path` is that of the matrix in its repository. `config` if one is asked
/// for whose channel the matrix lacks.
Result<std::vector<ci::PlannedWorkflow>> planned_workflows(
    const prepare::Loaded& loaded, const std::vector<std::string>& names,
    const std::filesystem::path& matrix_path);

}  // namespace pinwheel::cli
