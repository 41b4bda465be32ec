#pragma once
#include <string>
#include <vector>

#include "pep/tag.h"

namespace pinwheel::compat {

/// Whether a wheel with these tags installs on a CPython such as "cp311" or "cp313t", as
/// `pep::installs` decides for each tag.
bool runs_on(const pep::TagSet& tags, const std::string& python);

/// The tags in words: "CPython 3.11", "CPython 3.10 and later", "any Python 3"; "none" if no
/// installer accepts one of them.
std::string python_text(const pep::TagSet& tags);

/// "3.11", "3.13t" for "cp311", "cp313t"; the tag itself when it is not a CPython tag.
std::string python_version(const std::string& tag);

}  // namespace pinwheel::compat
