#pragma once
#include <string>
#include <string_view>

namespace pinwheel::project {

/// "3.10" of `Py_LIMITED_API` with the value 0x030A0000, defined in C, in a build file or on a
/// command line; the newest if there are several, empty without a value.
std::string limited_api_macro(std::string_view text);

/// "2.10" of `TORCH_TARGET_VERSION` with the value 0x020A000000000000, in the same forms.
std::string torch_target_macro(std::string_view text);

}  // namespace pinwheel::project
