#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/machine/env_machine.h"
#include "prepare/host.h"

namespace pinwheel::cli {

/// `doctor --cache`: probes the compiler caches that builds of a matrix use, or the named one, and
/// prints a line for each probe. `check` if a cache returns a stale object, `environment` if one
/// does not work, `usage` if no build uses a cache.
Result<int> doctor_of_caches(const prepare::Host& host, const DoctorOptions& options,
                             const host::EnvMachine& machine, Streams& streams);

}  // namespace pinwheel::cli
