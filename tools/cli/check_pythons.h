#pragma once
#include "cli/run_scope.h"
#include "cli/streams.h"

namespace pinwheel::cli {

/// Warns, once for each version, of Pythons that the variants of a run need and this machine does
/// not have, with the builds and tests that stop for it; of those that a run fetches, a note.
/// Nothing is said of containers and conda, which bring their own. Starts no interpreter that was
/// seen before, and makes nothing.
void warn_of_missing_pythons(const RunScope& scope, Streams& streams);

}  // namespace pinwheel::cli
