#pragma once
#include <optional>
#include <string_view>

#include "plan/attempt_trace.h"

namespace pinwheel::plan {

/// The command in a snippet file, version 1, of cmake-instrumentation(7): a compilation, a link or
/// a custom command, by its first output. Nullopt for other snippets (whole builds, tests), and for
/// a text that is none.
std::optional<TracedCommand> snippet_command(std::string_view json);

}  // namespace pinwheel::plan
