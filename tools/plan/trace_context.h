#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::plan {

/// The variable that passes a trace to the processes of a step, and from the caller to a run
/// (https://opentelemetry.io/docs/specs/otel/context/env-carriers/).
inline constexpr const char* kTraceParent = "TRACEPARENT";

/// Whether the spans of a trace are exported.
enum class Sampling { sampled, dropped };

/// The place of a run in a trace of several processes. Ids are hex digits in lower case.
struct TraceContext {
  std::string trace_id = {};     ///< 32 digits
  std::string parent_span = {};  ///< 16 digits; empty: the run has no parent
  Sampling sampling = Sampling::sampled;

  bool operator==(const TraceContext&) const = default;
};

/// The caller's place in a trace by its `traceparent` (https://www.w3.org/TR/trace-context/),
/// "00-<trace id>-<span id>-01", which is the parent of the run. nullopt for a malformed text: then
/// a new trace begins. Later versions are read as the standard requires.
std::optional<TraceContext> parse_traceparent(std::string_view text);
/// The `traceparent` of a process whose parent is that span.
std::string traceparent(const TraceContext& context, std::string_view span);

/// The id of a trace that every run with these texts shares.
std::string trace_id_of(const std::vector<std::string>& seed);

/// The ids of spans. They follow from the names, so a second export changes nothing, and jobs can
/// refer to each other's spans. `run` is a name of the run that no other run has.
std::string span_of_run(const TraceContext& context, std::string_view run);
/// Environments and toolkits are made on each machine, other steps once.
std::string span_of_step(const TraceContext& context, std::string_view step,
                         std::string_view worker);
std::string span_of_attempt(const TraceContext& context, std::string_view step, int attempt,
                            std::string_view worker);
/// `name` is unique among the children of `parent`.
std::string span_of_part(const TraceContext& context, std::string_view parent,
                         std::string_view name);

}  // namespace pinwheel::plan
