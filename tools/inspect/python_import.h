#pragma once
#include <string_view>

namespace pinwheel::inspect {

/// Whether the member is what `import NAME` runs first: "demo/__init__.py", "demo.py".
bool is_top_module(std::string_view member);

/// Whether the source imports the module whenever it is imported itself: by a statement at the
/// beginning of a line, outside of strings of several lines. One below `try` or `if` does not
/// count.
bool imports_module(std::string_view source, std::string_view module);

}  // namespace pinwheel::inspect
