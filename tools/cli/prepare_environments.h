#pragma once
#include "base/result.h"
#include "cli/gather.h"
#include "cli/options.h"
#include "cli/prepare_containers.h"

namespace pinwheel::cli {

/// What a command that starts no run yet takes for its environments.
struct EnvironmentChoice {
  const LevelOptions& levels;
  TestImages images = TestImages::leave;
  UseLocks locks = UseLocks::yes;
};

/// Images, locks and resolutions of the undertaking, in that order, entered into workplace and
/// facts; what was resolved before is taken again. Stops when a signal comes (cli/stoppable.h).
Done prepare_environments(const Undertaking& what, const EnvironmentChoice& choice,
                          host::Workplace& workplace, Streams& streams, Facts& facts);

}  // namespace pinwheel::cli
