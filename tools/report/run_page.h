#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/run_trace.h"
#include "plan/outcome.h"
#include "report/failure.h"
#include "run/history.h"

namespace pinwheel::report {

/// The steps of a run for the HTML page:
///     begun       UTC, or null
///     unmeasured  executed steps without times
///     axes        [{name, values}]; a run without recorded axes has one, `variant`
///     variants    [{id, axes: [index of a value, or -1], steps: [index]}]: a test or installation,
///                 with the builds that it needs; of a run without tests, the builds
///     steps       [{id, kind, state, evidence, key, log, reason, attempts, elapsed, needs,
///     outputs:
///                 [{path, size, sha256}], error, again, shell, warnings, reused_from}], each id
///                 once; again and shell are commands, or empty
///     machines    [{name, slots, clock_offset_ms}]
///     attempts    [{step, machine, slot, attempt, state, start, end, phases: [{phase, start,
///                 end}], waits: [{cause, on, ms}], cores, cpu_ms, peak_memory, commands: [{output,
///                 kind, ms}]}], in ms since the first one; the 20 longest commands
///     critical    {length_ms, steps: [{first, last, spent_ms, saves_ms}]}: indexes of attempts
///     slot_time   {makespan_ms, slots, classes: [{class, title, ms}]}
nlohmann::ordered_json run_page(const std::vector<plan::StepOutcome>& outcomes,
                                const analysis::RunTrace& trace);

/// [{steps, text}], by cause.
nlohmann::ordered_json failures_page(const std::vector<FailureCause>& causes);

/// {runs: [{name, elapsed_ms, steps, failed, reused, size, hits, misses}], flaky: [{id, key,
/// states}]} of the last `most` runs, oldest first; hits and misses are those of compiler caches. A
/// step is flaky if its outcomes with one key were both good and bad.
nlohmann::ordered_json history_page(const std::vector<run::RecordedRun>& runs, size_t most);

}  // namespace pinwheel::report
