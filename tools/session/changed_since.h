#pragma once
#include <string>

#include "base/result.h"
#include "plan/changed_since.h"
#include "prepare/host.h"
#include "prepare/options.h"
#include "prepare/package_source.h"
#include "prepare/run_scope.h"
#include "prepare/store_places.h"
#include "session/console.h"

namespace pinwheel::session {

/// The command line of `--changed-since`.
struct SinceRequest {
  const prepare::GlobalOptions& global;
  const std::string& revision;
  const std::string& channel;  ///< empty: the default one of each side
  const prepare::RunStore& store;
  prepare::UseLocks locks = prepare::UseLocks::yes;
};

/// Compares the builds, sdists and tests of a scope with the results of a commit of its repository,
/// which are in the state directory and in the stores (plan/changed_since.h). Plans that commit in
/// a worktree below the state directory, which is removed again; packages that are neither locked
/// nor recorded are resolved, and missing images are made. `environment`, with the command that
/// helps, outside a repository and in a shallow clone, where it is not known when a file last
/// changed; `usage` for a commit that the repository does not have; `config` if that commit lacks
/// the matrix; `check` if no step of that commit has a result.
Result<plan::ChangedSince> changed_since(const prepare::Host& host, const prepare::RunScope& scope,
                                         const SinceRequest& request, Console& console);

}  // namespace pinwheel::session
