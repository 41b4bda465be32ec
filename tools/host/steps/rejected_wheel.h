#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"

namespace pinwheel::host {

// A wheel that was compiled and then rejected only for its name is stored in the state directory,
// until a matrix plans that name.

/// Digest of the inputs of a build's wheel: the recipe of the step without names, tags and checks
/// (`plan::compile_parts`), the products of its needs, and the source in the attempt's scratch
/// without matrix files, before anything is built there.
Result<std::string> compile_key(const StepContext& context);

/// Stores a rejected wheel for `take_wheel`. A wheel of a build with secrets is not stored.
Done store_rejected_wheel(const StepContext& context, const plan::BuildWheel& action,
                          const std::string& key, const std::filesystem::path& built);

/// Moves the wheel that was stored for the key, if it has the name that the plan requires now, to
/// the directory in which a build writes it; nullopt if there is none. If a later action fails, it
/// is compiled again.
Result<std::optional<std::filesystem::path>> take_rejected_wheel(const StepContext& context,
                                                                 const plan::BuildWheel& action,
                                                                 const std::string& key);

}  // namespace pinwheel::host
