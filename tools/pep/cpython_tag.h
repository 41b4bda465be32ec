#pragma once
#include <optional>
#include <string_view>

namespace pinwheel::pep {

/// CPython 3 as tags name it (PEP 425, PEP 703).
struct CPythonTag {
  int minor = 0;  ///< 11 of "cp311"
  bool free_threaded = false;
};

/// Reads "cp39", "cp313t"; nullopt for every other tag.
std::optional<CPythonTag> parse_cpython_tag(std::string_view tag);

}  // namespace pinwheel::pep
