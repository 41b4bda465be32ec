#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "plan/attempt_trace.h"
#include "plan/outcome.h"
#include "plan/trace_context.h"

namespace pinwheel::report {

/// What is exported about a run besides its outcomes.
struct ExportedRun {
  plan::TraceContext context = {};
  std::string name = {};      ///< that no other run has
  std::string pipeline = {};  ///< "pinwheel release"
  std::string worker = {};    ///< the machine's name
  plan::TraceSpan span = {};
  /// Of the resource, such as `service.name`.
  std::map<std::string, std::string> resource = {};
  /// Of the span of the run, such as `cicd.pipeline.run.url.full`; empty values are left out.
  std::map<std::string, std::string> attributes = {};
};

/// The requests that export a run, each a JSON document of an `ExportTraceServiceRequest` with at
/// most `most` bytes, unless one span alone is longer
/// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). One span is the run, below
/// it is one for each executed step, below that one for each attempt, below that its phases.
/// Reasons for waiting are events; links lead to the steps that a step needs, also in other jobs
/// and in other traces. Names are those of the semantic conventions for CI/CD where there are some
/// (https://opentelemetry.io/docs/specs/semconv/cicd/), else they begin with `pinwheel.`. Bytes
/// that are not UTF-8 are replaced, and long texts are cut off.
std::vector<std::string> otlp_requests(const ExportedRun& run, const plan::Report& report,
                                       size_t most);

}  // namespace pinwheel::report
