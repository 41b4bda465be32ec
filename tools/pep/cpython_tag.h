#pragma once
#include <optional>
#include <string_view>

namespace pinwheel::pep {

/// A CPython 3 interpreter tag (PEP 425, PEP 703).
struct CPythonTag {
  int minor = 0;  ///< 11 of "cp311"
  bool free_threaded = false;
};

/// Parses "cp39", "cp313t"; nullopt for any other tag.
std::optional<CPythonTag> parse_cpython_tag(std::string_view tag);

}  // namespace pinwheel::pep
