#pragma once
#include <cstddef>
#include <string_view>

namespace pinwheel {

/// How deep the lists and objects of a JSON text lie in each other. It is read before the text is
/// parsed: copying, printing and walking through values takes stack for each level. Of text that is
/// no JSON it is a number that means nothing.
size_t json_levels(std::string_view text);

}  // namespace pinwheel
