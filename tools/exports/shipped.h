#pragma once
#include <string_view>

namespace pinwheel::exports {

/// The serialized table embedded in the program: `torch-exports.pwx`, in read-only data, which the
/// system pages in on demand.
std::string_view shipped_table();

}  // namespace pinwheel::exports
