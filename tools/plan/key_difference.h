#pragma once
#include <string>

#include "base/map_difference.h"

namespace pinwheel::plan {

/// A part that two keys do not have in common: an element of what `map_differences` says of their
/// parts.
using KeyDifference = MapDifference<std::string>;

/// "version: 1.2.0 -> 1.3.0", "source.digest changed", "variables.CFLAGS is new",
/// "variables.CFLAGS is gone".
std::string to_text(const KeyDifference& difference);

}  // namespace pinwheel::plan
