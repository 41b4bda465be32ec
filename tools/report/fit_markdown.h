#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pinwheel::report {

/// Markdown for a terminal of `width` columns: prose is broken into lines, a table becomes one of
/// columns, and code stays as it is. A width of 0 leaves the text alone.
std::string fit_markdown(std::string_view text, size_t width);

}  // namespace pinwheel::report
