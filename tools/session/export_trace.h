#pragma once
#include <map>
#include <optional>
#include <string>

#include "host/machine/workplace.h"
#include "plan/outcome.h"
#include "plan/trace_context.h"
#include "prepare/host.h"
#include "publish/release_record.h"
#include "report/otlp.h"
#include "run/execute.h"
#include "session/console.h"
#include "session/otel_settings.h"

namespace pinwheel::session {

/// Bytes of one request to a collector; collectors accept 4 MiB and more.
inline constexpr size_t kMostOfTrace = 4'000'000;

/// The export of a run's trace to a collector of OpenTelemetry.
struct TraceExport {
  OtelSettings settings;
  report::ExportedRun run;
};

/// What identifies a run.
struct RunIdentity {
  const host::Workplace& workplace;
  const std::string& arguments;  ///< "release matrix.yaml --target index", quoted
  const std::string& plan;       ///< sha256 of the file of the frozen plan; empty without one
  const std::optional<publish::ReleaseFacts>& release;
};

/// The export that the user's variables ask for; nullopt: none. The trace is that of TRACEPARENT;
/// else all jobs of a CI run or of a frozen plan share one, without knowing each other. Variables
/// without effect are warnings.
std::optional<TraceExport> plan_export(const prepare::Host& host, const RunIdentity& identity,
                                       Console& console);

/// Gives the processes of each attempt their place in the trace, and each outcome its span if the
/// trace is sampled.
void trace_steps(const TraceExport& planned, run::ExecuteOptions& options);

/// Sends the spans of a finished or interrupted run. A failure is a warning. Replies that ask for
/// it are retried within the time limit.
void export_trace(const prepare::Host& host, TraceExport planned, const plan::Report& report,
                  const host::Workplace& workplace, Console& console);

}  // namespace pinwheel::session
