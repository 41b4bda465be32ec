#pragma once
#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::plan {

/// A time of a run, in UTC. Within a run, times never decrease.
using TraceTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// The phases of an attempt, in this order, as in `ExecutedActionMetadata` of the Remote Execution
/// API. Input fetch: environments, toolkits, source. Execution: the step's own commands. Output
/// upload: finishing and checking files, and moving or uploading them to their destination.
enum class StepPhase { input_fetch, execution, output_upload };

/// Why an attempt waited: for a step that it needs, for cores, for memory, for a pool such as
/// `upload`, for the delay before a retry, or (while it ran) for a lock of another process or step.
enum class WaitCause { dependency, slot, memory, pool, retry, lock };

std::string_view to_string(StepPhase phase);
std::string_view to_string(WaitCause cause);

struct TraceSpan {
  TraceTime start;
  TraceTime completed;

  bool operator==(const TraceSpan&) const = default;
};

struct TracedPhase {
  StepPhase phase = StepPhase::execution;
  TraceSpan span;

  bool operator==(const TracedPhase&) const = default;
};

struct TracedWait {
  WaitCause cause = WaitCause::slot;
  std::string on = {};  ///< the step, or the pool; empty for other causes
  std::chrono::milliseconds spent{0};

  bool operator==(const TracedWait&) const = default;
};

/// What was measured about one attempt of a step. Never part of a key. A value that was not
/// measured is absent.
struct AttemptTrace {
  std::string worker = {};                   ///< the name of the machine; empty: unknown
  std::optional<TraceTime> queued = {};      ///< the run began, or the last attempt failed
  std::optional<TraceSpan> ran = {};         ///< the worker's start and completion
  std::vector<TracedPhase> phases = {};      ///< at most one of each kind, in order
  std::vector<TracedWait> waits = {};        ///< in order
  std::optional<int> cores = {};             ///< reserved by the scheduler
  std::optional<uint64_t> memory = {};       ///< bytes reserved by the scheduler
  std::optional<uint64_t> peak_memory = {};  ///< bytes, of the largest of its processes
  std::optional<std::chrono::milliseconds> cpu_time = {};  ///< of all its processes
  std::optional<uint64_t> sent = {};                       ///< bytes of files sent to an index

  bool operator==(const AttemptTrace&) const = default;
};

/// "2026-01-02T03:04:05.678Z".
std::string to_string(TraceTime time);
/// The inverse, for the years 1970 to 2199; nullopt for any other text.
std::optional<TraceTime> parse_trace_time(std::string_view text);

/// An attempt as a JSON object, with the names of `ExecutedActionMetadata` for its times.
nlohmann::ordered_json trace_object(const AttemptTrace& trace);
/// The inverse; unknown members, causes and times are ignored. Throws as nlohmann's accessors do.
AttemptTrace trace_from(const nlohmann::json& json);

}  // namespace pinwheel::plan
