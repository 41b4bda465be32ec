#pragma once
#include <string_view>

namespace pinwheel::exports {

/// The serialised table that this pinwheel was built with: `torch-exports.pwx`, in the program's
/// read-only data, of which the system loads what is looked at.
std::string_view shipped_table();

}  // namespace pinwheel::exports
