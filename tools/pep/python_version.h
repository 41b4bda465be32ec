#pragma once
#include <string>
#include <string_view>

namespace pinwheel::pep {

/// Whether a CPython 3 may have this version: "3.13", "3.13.2" or, without the global lock,
/// "3.13t", which there is since 3.13.
bool is_python_version(std::string_view text);

/// How a version that no Python can have is meant, as a hint: "did you mean `3.12`?" of "3.12x",
/// "cp312" and "312".
std::string python_version_hint(std::string_view text);

}  // namespace pinwheel::pep
