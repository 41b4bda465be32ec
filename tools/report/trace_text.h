#pragma once
#include <cstddef>
#include <string>

#include "analysis/run_trace.h"

namespace pinwheel::report {

/// A run in brief: how many steps ran and how they ended, the slot time by class, the critical path
/// with what each step could save, and the ten longest attempts. Empty for an empty trace.
std::string trace_brief(const analysis::RunTrace& trace, size_t width);

/// A row for each attempt, by start: when it started after the first one, how long it waited and
/// for what, its time, processor time and memory.
std::string trace_table(const analysis::RunTrace& trace, size_t width);

/// All of it as JSON, schema `pinwheel-trace/1`: `machines` with `name`, `slots` and
/// `clock_offset_ms`, `makespan_ms`, `critical_path` (`length_ms`, and `steps` with `id`,
/// `spent_ms` and `saves_ms`), `slot_time` (`slots`, and `spent_ms` by class, which sums to
/// makespan x slots), and `attempts` with `id`, `state`, `attempt`, `slot` and `trace`. Ends in a
/// newline.
std::string trace_json(const analysis::RunTrace& trace);

}  // namespace pinwheel::report
