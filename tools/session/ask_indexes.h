#pragma once
#include <vector>

#include "base/result.h"
#include "host/net/http.h"
#include "plan/step.h"
#include "prepare/host.h"
#include "publish/index_state.h"
#include "session/console.h"
#include "session/release_status.h"

namespace pinwheel::session {

/// The releases that publications of a plan make: one per target, project and version. Targets
/// without pages (directories, `confirm: none`) have none, nor has GitHub (`session/ask_github`).
/// Pure.
std::vector<publish::PlannedRelease> planned_releases(
    const plan::Plan& plan, const std::vector<const plan::Publish*>& publications);

/// Reads the pages of all projects at the same time, without credentials.
std::vector<publish::IndexState> ask_indexes(const prepare::Host& host,
                                             const std::vector<publish::PlannedRelease>& releases,
                                             const host::HttpOptions& requests,
                                             const ports::LogHandle& log);

/// The states of indexes in directories and buckets for the re-cuts among the publications, which
/// need a version that is published already. Other publications there cannot be refused.
std::vector<publish::IndexState> ask_about_recuts(
    const PageSource& source, const plan::Plan& plan,
    const std::vector<const plan::Publish*>& publications);

/// Prints the states as a table and warns of what may go wrong. Kind `publish`, with each release
/// that cannot be completed as a cause.
Done report_states(const std::vector<publish::IndexState>& states, Console& console);

}  // namespace pinwheel::session
