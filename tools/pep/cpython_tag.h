#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "pep/tag.h"

namespace pinwheel::pep {

/// A CPython 3 interpreter tag (PEP 425, PEP 703).
struct CPythonTag {
  int minor = 0;  ///< 11 for "cp311"
  bool free_threaded = false;

  auto operator<=>(const CPythonTag&) const = default;
};

/// Parses "cp39", "cp313t"; nullopt for any other tag.
std::optional<CPythonTag> parse_cpython_tag(std::string_view tag);

/// Whether the installers of that CPython accept a wheel with the tag on some platform, as
/// `packaging.tags` lists them. Only builds with a global lock accept `abi3`, and only
/// free-threaded ones `abi3t`.
bool installs(const Tag& tag, const CPythonTag& python);
/// Whether the installers of some interpreter accept it: none accepts "cp313t-cp313t",
/// "cp312-cp311" or "py3-abi3". The tags of implementations other than CPython count as theirs.
bool has_installer(const Tag& tag);
/// The CPythons from 3.0 to `kNewestPython` that accept one of the tags, in order.
std::vector<CPythonTag> installing_pythons(const TagSet& tags);
/// Newer than any that is planned: tags for "3.10 and later" have a last one.
inline constexpr int kNewestPython = 24;

}  // namespace pinwheel::pep
