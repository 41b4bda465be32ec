#pragma once
#include <string>

#include "plan/outcome.h"
#include "wheel/derivation.h"

namespace pinwheel::report {

/// What was changed and what is identical, for people; several lines.
std::string derivation_text(const plan::Output& output, const wheel::Derivation& derivation);

/// A finished file as one JSON object, two-space indent, a newline at the end:
///     schema        1; keys may be added under the same number
///     output        {path, sha256, size}
///     derivation    null for a file that was not derived, else
///       file, sha256          the original
///       distribution, version the new ones
///       renamed       {from, to}: the dist-info directory, or null
///       identical     number of files with equal digests
///       rewritten, added, dropped   names of files of dist-info
///       requirements  [{before, after}]
std::string finish_json(const plan::Output& output, const wheel::Derivation* derivation);

}  // namespace pinwheel::report
