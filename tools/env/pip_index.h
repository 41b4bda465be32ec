#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::env {

/// The index that pip takes packages from, out of what `pip config list` printed: the variable
/// before the files, of the files the section of a command before the general one. nullopt when
/// nothing names one, so that it is PyPI.
std::optional<std::string> configured_index(std::string_view configuration);

}  // namespace pinwheel::env
