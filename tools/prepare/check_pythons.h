#pragma once
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// Warns, once for each version, of Pythons that the variants of a run need and this machine does
/// not have, with the builds and tests that stop for it; of those that a run fetches, a note.
/// Nothing is said of containers and conda, which bring their own. Starts no interpreter that was
/// seen before, and makes nothing.
void warn_of_missing_pythons(const Host& host, const RunScope& scope, ports::Notices& notices);

}  // namespace pinwheel::prepare
