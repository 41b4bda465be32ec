#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pinwheel::ci {

/// A double-quoted YAML scalar on one line, for any text.
std::string yaml_string(std::string_view text);
/// A flow sequence of such scalars: `["a", "b"]`.
std::string yaml_list(const std::vector<std::string>& texts);

using Place = std::pair<std::string_view, std::string>;  ///< its name and value
using Places = std::vector<Place>;

/// A template with its places `@NAME@` filled. A value of several lines is indented like its
/// place. A line with only a place and an empty value is removed.
std::string filled(std::string_view text, const Places& places);

}  // namespace pinwheel::ci
