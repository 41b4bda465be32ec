#pragma once
#include <string>

#include "analysis/run_trace.h"

namespace pinwheel::report {

/// The trace as JSON in the Trace Event Format, for Perfetto and chrome://tracing: one process per
/// machine, one thread per lane, the phases of an attempt inside its slice, the commands of a build
/// in as many threads below its lane as ran at once, counters of what runs and is reserved, and
/// flows. Times are microseconds since the first attempt started. Ends in a
/// newline.
std::string chrome_trace(const analysis::RunTrace& trace);

}  // namespace pinwheel::report
