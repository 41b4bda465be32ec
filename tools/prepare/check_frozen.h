#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "ports/files.h"
#include "ports/git.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/options.h"

namespace pinwheel::prepare {

/// Compares a frozen plan with the checkout before anything runs: its commit is HEAD, and its
/// version the one of that commit. `drift` otherwise. A plan may come from anywhere, and its
/// version goes into every name. Of a nightly the date is not compared, and nothing is of a version
/// from the calendar, of a package without a repository, or where history is missing.
Done check_checkout(const Host& host, const Loaded& loaded, const plan::FrozenPlan& frozen);

/// `drift` if a plan lacks variants that its channel has, of those that the command line selects:
/// without a selection, a release has all of them. Pure.
Done check_has_channel(const Loaded& loaded, const SelectionOptions& selection,
                       const std::vector<std::string>& globs, const plan::FrozenPlan& frozen);

}  // namespace pinwheel::prepare
