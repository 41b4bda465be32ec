#pragma once
#include <string>
#include <vector>

#include "pep/tag.h"

namespace pinwheel::compat {

/// Whether a wheel of these tags installs on the CPython that torch calls "cp311" or "cp313t": its
/// own version, the Stable ABI of one not newer, or a tag without an ABI. The free-threaded build
/// has no Stable ABI before 3.15.
bool runs_on(const pep::TagSet& tags, const std::string& python);

/// The same, for people: "CPython 3.11", "CPython 3.10 and later", "any Python 3".
std::string python_text(const pep::TagSet& tags);

/// "3.11", "3.13t" of "cp311", "cp313t"; the tag itself when it is none of CPython's.
std::string python_version(const std::string& tag);

}  // namespace pinwheel::compat
