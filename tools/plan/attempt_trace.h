#pragma once
#include <chrono>
#include <cstddef>
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

/// What a command of a build did: compiled for the host, compiled for a GPU, linked, filled a
/// static library, or anything else (generated a file, copied one, a step of a build system).
enum class CommandKind { compile, device_compile, link, archive, other };

std::string_view to_string(CommandKind kind);

/// A part of a command, by its compiler's own measurement: a pass of nvcc, a phase of clang. Parts
/// may be nested or run at the same time, so their times do not add up to the command's.
struct CommandPart {
  std::string name = {};  ///< "cicc (sm_90)", "Frontend"
  std::chrono::milliseconds spent{0};

  bool operator==(const CommandPart&) const = default;
};

/// One command of a build: a compilation, a link. Commands of an attempt may overlap.
struct TracedCommand {
  std::string output = {};  ///< the file it made, relative to its build directory; valid UTF-8
  CommandKind kind = CommandKind::other;
  TraceSpan span = {};                  ///< within the attempt
  std::vector<CommandPart> parts = {};  ///< only of a profiled build; the longest ones first

  bool operator==(const TracedCommand&) const = default;
};

/// The commands of one kind that an attempt does not list, because they are too many.
struct CommandTotal {
  CommandKind kind = CommandKind::other;
  uint64_t count = 0;
  std::chrono::milliseconds spent{0};  ///< the sum of their times

  bool operator==(const CommandTotal&) const = default;
};

/// Uses of a cache during an attempt: "conda", "pip", "ccache", "sccache", "device code",
/// "environment".
struct CacheHits {
  std::string cache = {};
  uint64_t hits = 0;
  uint64_t misses = 0;

  bool operator==(const CacheHits&) const = default;
};

/// Whether it is a cache of what compilers wrote.
bool is_compiler_cache(const CacheHits& use);

/// An attempt lists at most this many commands, and a command this many parts: journals stay small.
inline constexpr size_t kMostCommands = 1000;
inline constexpr size_t kMostCommandParts = 20;
/// The end of a longer name of an output is listed.
inline constexpr size_t kMostOutputName = 200;

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
  std::optional<uint64_t> peak_memory = {};  ///< bytes, of its largest process or container
  std::optional<std::chrono::milliseconds> cpu_time = {};  ///< of all its processes
  std::optional<uint64_t> sent = {};                       ///< bytes of files sent to an index
  std::optional<uint64_t> fetched = {};                    ///< bytes received from servers
  std::vector<CacheHits> caches = {};                      ///< by name
  std::vector<TracedCommand> commands = {};                ///< of a build, by start
  std::vector<CommandTotal> unlisted = {};                 ///< commands that are not in `commands`

  bool operator==(const AttemptTrace&) const = default;
};

/// "2026-01-02T03:04:05.678Z".
std::string to_string(TraceTime time);
/// The inverse, for the years 1970 to 2199; nullopt for any other text.
std::optional<TraceTime> parse_trace_time(std::string_view text);

/// Lists the commands of an attempt, by start, each within `ran` (without it there are none). Of
/// more than `kMostCommands`, the longest are listed, and `unlisted` has the totals of the others.
void list_commands(AttemptTrace& trace, std::vector<TracedCommand> commands);

/// An attempt as a JSON object, with the names of `ExecutedActionMetadata` for its times.
nlohmann::ordered_json trace_object(const AttemptTrace& trace);
/// The inverse; unknown members, causes and times are ignored. Throws as nlohmann's accessors do.
AttemptTrace trace_from(const nlohmann::json& json);

}  // namespace pinwheel::plan
