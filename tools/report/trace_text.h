#pragma once
#include <cstddef>
#include <string>

#include "report/trace.h"

namespace pinwheel::report {

/// A row for each attempt, by start: when it started after the first one, how long it waited and
/// for what, its time, processor time and memory.
std::string trace_table(const RunTrace& trace, size_t width);

/// The same as JSON, schema `pinwheel-trace/1`: `machines` with `name`, `slots` and
/// `clock_offset_ms`, `attempts` with `id`, `state`, `attempt`, `slot` and `trace`. Ends in a
/// newline.
std::string trace_json(const RunTrace& trace);

}  // namespace pinwheel::report
