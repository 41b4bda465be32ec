#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "prepare/host.h"
#include "prepare/load.h"

namespace pinwheel::cli {

/// `plan --upstream`: what there is that the axes do not have, and the other way round. Returns 0
/// whatever changed: a new label is news, not a failure.
Result<int> show_upstream(const prepare::Host& host, const PlanCommand& options,
                          const prepare::Loaded& loaded, Streams& streams);

}  // namespace pinwheel::cli
