#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// The last `count` lines of a log as a terminal would show them: carriage returns overwrite the
/// line, control characters and escape sequences are removed, other text is made visible.
std::vector<std::string> last_lines(std::string_view text, size_t count = 20);

}  // namespace pinwheel
