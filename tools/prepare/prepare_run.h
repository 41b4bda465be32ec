#pragma once
#include "base/result.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/package_source.h"
#include "prepare/prepared_run.h"

namespace pinwheel::prepare {

/// The pipeline of every command that needs a plan:
///
///     scope -> workplace -> build facts -> Pythons -> answers -> environments -> plan
///
/// Each step happens once, in this order. `environments` are images, then locks or resolutions. The
/// step `answers` (`collect_answers`) has a plan of its own: the builds whose backend must be asked
/// for its requirements. It makes the environments of these builds, and no others. All steps but
/// the last have side effects: they read the source, make images and query indexes. The last is
/// pure. Nothing is built. Errors: `drift` if `source` is a frozen plan of a different matrix or
/// source, or if locks are out of date; those of `collect_answers` and `prepare_environments`.
Result<PreparedRun> prepare_run(const Host& host, const RunScope& scope,
                                const PackageSource& source, ports::Notices& notices);

/// The pipeline without its last step.
Result<GatheredRun> gather_run(const Host& host, const RunScope& scope, const PackageSource& source,
                               ports::Notices& notices);

}  // namespace pinwheel::prepare
