#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::env {

/// The index that pip uses, from the output of `pip config list`: the variable takes precedence
/// over the files, and in the files a command's section over the global one. nullopt if none is
/// set: PyPI.
std::optional<std::string> configured_index(std::string_view configuration);

}  // namespace pinwheel::env
