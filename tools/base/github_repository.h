#pragma once
#include <string_view>

namespace pinwheel {

/// Whether a text is "OWNER/NAME", as GitHub names a repository: two parts, neither of them empty.
/// Their characters are not checked.
bool is_owner_and_name(std::string_view text);

}  // namespace pinwheel
