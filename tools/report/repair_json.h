#pragma once
#include <optional>
#include <string>

#include "plan/outcome.h"
#include "repair/outcome.h"

namespace pinwheel::report {

/// The changes of a repair as one JSON object, two-space indent, keys in this order, a newline at
/// the end:
///     schema        1; keys may be added under the same number
///     wheel         file name
///     repaired      whether there was anything to do
///     file_name     of the result
///     platforms     its platform tags
///     grafts        [{member, needed_as, path, sha256, package, licenses}]: package is a package
///                   URL or null, licenses the names of license files
///     edits         [{member, soname, replace_needed, remove_needed, rpath}]: soname and rpath
///     null
///                   if unchanged, replace_needed an object, rpath "" if removed
///     requirements  Requires-Dist lines that are added
///     notes         texts
///     output        {path, sha256, size}, or null for a dry run
std::string repair_json(const repair::Outcome& outcome, const std::optional<plan::Output>& output);

}  // namespace pinwheel::report
