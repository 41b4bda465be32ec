#include "report/otlp.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "plan/step_id.h"

namespace pinwheel::report {
namespace {

using OtlpJson = nlohmann::ordered_json;

/// `SpanKind` and `StatusCode` of opentelemetry/proto/trace/v1/trace.proto.
constexpr int kInternalSpan = 1;
constexpr int kServerSpan = 2;
constexpr int kErrorStatus = 2;

/// Bytes of a text in a span.
constexpr size_t kMostOfText = 4096;

std::string nanoseconds(plan::TraceTime time) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  return std::to_string(std::max<int64_t>(since.count(), 0));
}

std::string short_text(std::string_view text) {
  if (text.size() <= kMostOfText) return std::string(text);
  // Not in the middle of a character of UTF-8.
  size_t end = kMostOfText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

/// Attributes, or nothing for values that are absent.
class Attributes {
 public:
  Attributes& text(const char* name, std::string_view value) {
    if (!value.empty()) add(name, {{"stringValue", short_text(value)}});
    return *this;
  }
  /// In JSON, numbers of 64 bits are text.
  Attributes& number(const char* name, int64_t value) {
    add(name, {{"intValue", std::to_string(value)}});
    return *this;
  }
  template <class T>
  Attributes& maybe(const char* name, const std::optional<T>& value) {
    return value ? number(name, static_cast<int64_t>(*value)) : *this;
  }
  Attributes& texts(const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return *this;
    OtlpJson array = OtlpJson::array();
    for (const std::string& value : values) array.push_back({{"stringValue", short_text(value)}});
    add(name, {{"arrayValue", {{"values", std::move(array)}}}});
    return *this;
  }
  Attributes& all(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) text(name.c_str(), value);
    return *this;
  }
  OtlpJson take() { return std::move(list_); }

 private:
  void add(const char* name, OtlpJson value) {
    list_.push_back({{"key", name}, {"value", std::move(value)}});
  }

  OtlpJson list_ = OtlpJson::array();
};

std::string_view result_of(const plan::StepOutcome& outcome) {
  switch (outcome.state) {
    case plan::StepState::done:
    case plan::StepState::reused:
      return "success";
    case plan::StepState::skipped:
    case plan::StepState::blocked:
      return "skip";
    case plan::StepState::interrupted:
    case plan::StepState::unfinished:
      return "cancellation";
    case plan::StepState::failed:
      break;
  }
  if (!outcome.error) return "failure";
  switch (outcome.error->kind) {
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::transient:
    case ErrorKind::environment:
    case ErrorKind::internal:
      return "error";
    default:
      return "failure";
  }
}

std::string_view result_of(const plan::Report& report) {
  if (report.signal != 0) return "cancellation";
  return plan::exit_code(report) == 0 ? "success" : "failure";
}

/// The types of tasks in the semantic conventions.
std::string_view type_of(plan::StepKind kind) {
  switch (kind) {
    case plan::StepKind::environment:
    case plan::StepKind::toolkit:
    case plan::StepKind::build:
    case plan::StepKind::device:
    case plan::StepKind::sdist:
      return "build";
    case plan::StepKind::test:
    case plan::StepKind::install:
      return "test";
    case plan::StepKind::publish:
      break;
  }
  return "deploy";
}

/// "build" of "build:cpu".
std::string_view kind_word(std::string_view id) {
  return id.substr(0, id.find(':'));
}

plan::TraceTime beginning(const plan::AttemptTrace& trace) {
  return std::min(trace.queued.value_or(trace.ran->start), trace.ran->start);
}

OtlpJson make_span(const plan::TraceContext& context, const std::string& id,
                   const std::string& parent, std::string_view name, const plan::TraceSpan& span) {
  OtlpJson json = {{"traceId", context.trace_id}, {"spanId", id}};
  if (!context.state.empty()) json["traceState"] = context.state;
  if (!parent.empty()) json["parentSpanId"] = parent;
  json["flags"] = 1;  // sampled
  json["name"] = short_text(name);
  json["kind"] = kInternalSpan;
  json["startTimeUnixNano"] = nanoseconds(span.start);
  json["endTimeUnixNano"] = nanoseconds(std::max(span.start, span.completed));
  return json;
}

void set_failed(OtlpJson& span, std::string_view message) {
  span["status"] = {{"message", short_text(message)}, {"code", kErrorStatus}};
}

/// Waits before the start follow each other; those for locks happened while the attempt ran.
OtlpJson wait_events(const plan::AttemptTrace& trace) {
  OtlpJson events = OtlpJson::array();
  plan::TraceTime at = beginning(trace);
  for (const plan::TracedWait& wait : trace.waits) {
    const bool running = wait.cause == plan::WaitCause::lock;
    events.push_back({{"timeUnixNano", nanoseconds(running ? trace.ran->start : at)},
                      {"name", "wait"},
                      {"attributes", Attributes()
                                         .text("pinwheel.wait.cause", to_string(wait.cause))
                                         .text("pinwheel.wait.on", wait.on)
                                         .number("pinwheel.wait.ms", wait.spent.count())
                                         .take()}});
    if (!running) at += wait.spent;
  }
  return events;
}

/// Collects the spans of a run.
class SpanWriter {
 public:
  SpanWriter(const ExportedRun& run, const plan::Report& report)
      : run_(run), report_(report), root_(plan::span_of_run(run.context, run.name)) {
    for (const plan::StepOutcome& outcome : report.outcomes) by_id_.emplace(outcome.id, &outcome);
  }

  std::vector<OtlpJson> spans() {
    add_run();
    for (const plan::StepOutcome& outcome : report_.outcomes) {
      if (is_traced(outcome)) add_step(outcome);
    }
    return std::move(spans_);
  }

 private:
  /// The attempts of which the times are known. A reused result was exported by the run that made
  /// it.
  static bool is_traced(const plan::StepOutcome& outcome) {
    if (outcome.state == plan::StepState::reused) return false;
    return std::ranges::any_of(outcome.trace,
                               [](const plan::AttemptTrace& trace) { return bool(trace.ran); });
  }

  void add_run() {
    std::map<plan::StepState, int64_t> counts;
    for (const plan::StepOutcome& outcome : report_.outcomes) ++counts[outcome.state];
    OtlpJson span =
        make_span(run_.context, root_, run_.context.parent_span, run_.pipeline, run_.span);
    span["kind"] = kServerSpan;
    Attributes attributes;
    attributes.text("cicd.pipeline.name", run_.pipeline)
        .text("cicd.pipeline.result", result_of(report_))
        .text("cicd.worker.name", run_.worker)
        .all(run_.attributes);
    for (const auto& [state, count] : counts) {
      attributes.number(("pinwheel.steps." + std::string(to_string(state))).c_str(), count);
    }
    const int code = plan::exit_code(report_);
    span["attributes"] = attributes.number("process.exit.code", code).take();
    if (code != 0) set_failed(span, report_.signal != 0 ? "the run was stopped" : "a step failed");
    spans_.push_back(std::move(span));
  }

  void add_step(const plan::StepOutcome& outcome) {
    std::optional<plan::TraceSpan> whole;
    std::string worker;
    for (const plan::AttemptTrace& trace : outcome.trace) {
      if (!trace.ran) continue;
      if (!whole) whole = plan::TraceSpan{beginning(trace), trace.ran->completed};
      whole->completed = std::max(whole->completed, trace.ran->completed);
      worker = trace.worker;
    }
    const std::string id = plan::span_of_step(run_.context, run_.name, outcome.id);
    OtlpJson span = make_span(run_.context, id, root_, outcome.id, *whole);
    span["attributes"] = step_attributes(outcome, worker);
    add_links(span, outcome);
    if (outcome.state == plan::StepState::failed) {
      set_failed(span, outcome.error ? outcome.error->message : "failed");
    }
    spans_.push_back(std::move(span));
    for (size_t i = 0; i < outcome.trace.size(); ++i) {
      if (outcome.trace[i].ran) add_attempt(outcome, id, i);
    }
  }

  static OtlpJson step_attributes(const plan::StepOutcome& outcome, const std::string& worker) {
    const auto kind = plan::kind_of_step(outcome.id);
    std::vector<std::string> files;
    uint64_t bytes = 0;
    for (const plan::Output& output : outcome.outputs) {
      files.push_back(output.path);
      bytes += output.size;
    }
    Attributes attributes;
    attributes.text("cicd.pipeline.task.name", outcome.id)
        .text("cicd.pipeline.task.run.id", outcome.id)
        .text("cicd.pipeline.task.run.result", result_of(outcome))
        .text("cicd.pipeline.task.type", kind ? type_of(*kind) : "")
        .text("cicd.worker.name", worker)
        .text("pinwheel.step.kind", kind_word(outcome.id))
        .text("pinwheel.step.state", to_string(outcome.state))
        .text("pinwheel.step.key", outcome.key)
        .text("pinwheel.step.reason", outcome.reason)
        .text("pinwheel.test.evidence",
              outcome.evidence == plan::Evidence::none ? "" : to_string(outcome.evidence))
        .number("pinwheel.step.attempts", outcome.attempts)
        .texts("pinwheel.step.outputs", files);
    if (!files.empty()) {
      attributes.number("pinwheel.step.output_bytes", static_cast<int64_t>(bytes));
    }
    attributes.texts("pinwheel.step.warnings", outcome.warnings);
    if (outcome.error) attributes.text("error.type", to_string(outcome.error->kind));
    return attributes.take();
  }

  /// The span of a step that this run or an earlier one executed; nullopt if it exported none.
  std::optional<plan::TraceContext> place_of(const plan::StepOutcome& outcome) const {
    if (!is_traced(outcome)) return plan::parse_traceparent(outcome.span);
    return plan::TraceContext{run_.context.trace_id,
                              plan::span_of_step(run_.context, run_.name, outcome.id)};
  }

  void add_links(OtlpJson& span, const plan::StepOutcome& outcome) const {
    OtlpJson links = OtlpJson::array();
    for (const std::string& need : outcome.needs) {
      const auto found = by_id_.find(need);
      if (found == by_id_.end()) continue;
      const std::optional<plan::TraceContext> place = place_of(*found->second);
      if (!place) continue;
      links.push_back({{"traceId", place->trace_id},
                       {"spanId", place->parent_span},
                       {"attributes", Attributes()
                                          .text("pinwheel.link", "needs")
                                          .text("cicd.pipeline.task.name", need)
                                          .take()}});
    }
    if (!links.empty()) span["links"] = std::move(links);
  }

  void add_attempt(const plan::StepOutcome& outcome, const std::string& step, size_t index) {
    const plan::AttemptTrace& trace = outcome.trace[index];
    const int number = static_cast<int>(index) + 1;
    const bool last = index + 1 == outcome.trace.size();
    const std::string id = plan::span_of_attempt(run_.context, run_.name, outcome.id, number);
    OtlpJson span =
        make_span(run_.context, id, step, "attempt " + std::to_string(number), *trace.ran);
    span["attributes"] =
        Attributes()
            .text("cicd.pipeline.task.name", outcome.id)
            .text("cicd.worker.name", trace.worker)
            .number("pinwheel.attempt", number)
            .maybe("pinwheel.attempt.cores", trace.cores)
            .maybe("pinwheel.attempt.memory_bytes", trace.memory)
            .maybe("pinwheel.attempt.peak_bytes", trace.peak_memory)
            .maybe("pinwheel.attempt.cpu_ms",
                   trace.cpu_time ? std::optional(trace.cpu_time->count()) : std::nullopt)
            .maybe("pinwheel.attempt.sent_bytes", trace.sent)
            .maybe("pinwheel.attempt.fetched_bytes", trace.fetched)
            .take();
    if (OtlpJson events = wait_events(trace); !events.empty()) span["events"] = std::move(events);
    // An attempt that was followed by another one failed.
    if (!last || outcome.state == plan::StepState::failed) {
      set_failed(span, last && outcome.error ? outcome.error->message : "failed");
    }
    spans_.push_back(std::move(span));
    for (const plan::TracedPhase& phase : trace.phases) {
      const std::string_view name = to_string(phase.phase);
      spans_.push_back(make_span(run_.context, plan::span_of_part(run_.context, id, name), id, name,
                                 phase.span));
    }
  }

  const ExportedRun& run_;
  const plan::Report& report_;
  const std::string root_;
  std::map<std::string, const plan::StepOutcome*> by_id_;
  std::vector<OtlpJson> spans_;
};

std::string dumped(const OtlpJson& json) {
  return json.dump(-1, ' ', false, OtlpJson::error_handler_t::replace);
}

/// The document around spans: what is before and after them.
std::pair<std::string, std::string> frame_of(const ExportedRun& run) {
  OtlpJson attributes = Attributes().all(run.resource).take();
  const auto version = run.resource.find("service.version");
  OtlpJson scope = {{"name", "pinwheel"}};
  if (version != run.resource.end()) scope["version"] = version->second;
  const std::string resource = dumped({{"attributes", std::move(attributes)}});
  return {"{\"resourceSpans\":[{\"resource\":" + resource +
              ",\"scopeSpans\":[{\"scope\":" + dumped(scope) + ",\"spans\":[",
          "]}]}]}"};
}

}  // namespace

std::vector<std::string> otlp_requests(const ExportedRun& run, const plan::Report& report,
                                       size_t most) {
  const std::pair<std::string, std::string> frame = frame_of(run);
  std::vector<std::string> requests;
  std::string spans;
  const auto close = [&] {
    if (!spans.empty()) requests.push_back(frame.first + spans + frame.second);
    spans.clear();
  };
  const size_t around = frame.first.size() + frame.second.size();
  for (const OtlpJson& span : SpanWriter(run, report).spans()) {
    const std::string text = dumped(span);
    if (around + spans.size() + 1 + text.size() > most) close();
    if (!spans.empty()) spans += ',';
    spans += text;
  }
  close();
  return requests;
}

}  // namespace pinwheel::report
