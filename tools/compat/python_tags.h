#pragma once
#include <string>
#include <vector>

#include "pep/tag.h"

namespace pinwheel::compat {

/// Whether a wheel with these tags installs on a CPython such as "cp311" or "cp313t": the same
/// version, the Stable ABI of the same or an older version, or a tag without an ABI. The
/// free-threaded build has no Stable ABI before 3.15.
bool runs_on(const pep::TagSet& tags, const std::string& python);

/// The tags in words: "CPython 3.11", "CPython 3.10 and later", "any Python 3".
std::string python_text(const pep::TagSet& tags);

/// "3.11", "3.13t" for "cp311", "cp313t"; the tag itself when it is not a CPython tag.
std::string python_version(const std::string& tag);

}  // namespace pinwheel::compat
