#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "wheel/metadata.h"

namespace pinwheel::host {

/// The METADATA of a wheel. Errors are those of the file and of its parser.
Result<wheel::Metadata> metadata_of(const std::filesystem::path& path);

/// Compares the name, version and tags of the wheel that a backend produced with the plan
/// (plan/built_wheel.h), and returns warnings. Reads the wheel's METADATA, and the `pyproject.toml`
/// of the source for hints.
Result<std::vector<std::string>> check_built_wheel(const StepContext& context,
                                                   const plan::BuildWheel& action,
                                                   const std::filesystem::path& built);

/// The requirement on torch that the matrix adds to this wheel, whose METADATA has none; else
/// empty.
Result<std::string> added_requirement(const plan::BuildWheel& action,
                                      const std::filesystem::path& built);

}  // namespace pinwheel::host
