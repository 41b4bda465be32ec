#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"

namespace pinwheel::host {

// A wheel that was compiled and then refused for its name alone waits in the state directory for a
// matrix that says what it is.

/// Digest of what a build makes its wheel from: the recipe of the step without names, tags and
/// checks (`plan::compile_parts`), what it needs, and the source in the attempt's scratch without
/// matrix files, before anything is built there.
Result<std::string> compile_key(const StepContext& context);

/// Keeps a refused wheel for `take_wheel`. One that saw secrets is not kept.
Done keep_wheel(const StepContext& context, const plan::BuildWheel& action, const std::string& key,
                const std::filesystem::path& built);

/// Moves the wheel that was kept for the key, if it has the name that the plan wants now, to where
/// a build leaves it; nullopt if there is none. What fails afterwards is compiled again.
Result<std::optional<std::filesystem::path>> take_wheel(const StepContext& context,
                                                        const plan::BuildWheel& action,
                                                        const std::string& key);

}  // namespace pinwheel::host
