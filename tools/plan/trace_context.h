#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::plan {

/// The variable that passes a trace to the processes of a step, and from the caller to a run
/// (https://opentelemetry.io/docs/specs/otel/context/env-carriers/).
inline constexpr const char* kTraceParent = "TRACEPARENT";
/// What tracing systems add to it, which is passed on as it is.
inline constexpr const char* kTraceState = "TRACESTATE";

/// Whether the spans of a trace are exported.
enum class Sampling { sampled, dropped };

/// The place of a run in a trace of several processes. Ids are hex digits in lower case.
struct TraceContext {
  std::string trace_id = {};     ///< 32 digits
  std::string parent_span = {};  ///< 16 digits; empty: the run has no parent
  Sampling sampling = Sampling::sampled;
  std::string state = {};  ///< the caller's `tracestate`; empty: none

  bool operator==(const TraceContext&) const = default;
};

/// The caller's place in a trace by its `traceparent` (https://www.w3.org/TR/trace-context/),
/// "00-<trace id>-<span id>-01", which is the parent of the run. nullopt for a malformed text: then
/// a new trace begins. Later versions are read as the standard requires.
std::optional<TraceContext> parse_traceparent(std::string_view text);
/// The `traceparent` of a process whose parent is that span.
std::string traceparent(const TraceContext& context, std::string_view span);

/// A `tracestate` of at most 512 characters, trimmed; empty for anything else: the standard lets a
/// malformed one be discarded.
std::string parse_tracestate(std::string_view text);

/// The place in a trace that the processes of an attempt get; without a parent, none.
struct PassedTrace {
  std::string parent = {};  ///< TRACEPARENT
  std::string state = {};   ///< TRACESTATE
};
/// Sets the variables of a process; empty ones are left out.
void put_trace(const PassedTrace& trace, std::map<std::string, std::string>& variables);

/// The id of a trace that every run with these texts shares.
std::string trace_id_of(const std::vector<std::string>& seed);

/// The ids of spans. They follow from names. `run` is a name of the run that no other run has.
std::string span_of_run(const TraceContext& context, std::string_view run);
/// Two runs that execute a step at the same time have different spans. The runs that reuse the
/// result learn its span from `StepOutcome::span`.
std::string span_of_step(const TraceContext& context, std::string_view run, std::string_view step);
std::string span_of_attempt(const TraceContext& context, std::string_view run,
                            std::string_view step, int attempt);
/// `name` is unique among the children of `parent`.
std::string span_of_part(const TraceContext& context, std::string_view parent,
                         std::string_view name);

}  // namespace pinwheel::plan
