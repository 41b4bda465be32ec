#pragma once
#include <string>
#include <string_view>

namespace pinwheel::pep {

/// Whether a CPython 3 may have this version: "3.13", "3.13.2" or, without the global lock,
/// "3.13t", which exists since 3.13.
bool is_python_version(std::string_view text);

/// A hint for a version that no Python can have: "did you mean `3.12`?" for "3.12x", "cp312" and
/// "312".
std::string python_version_hint(std::string_view text);

}  // namespace pinwheel::pep
