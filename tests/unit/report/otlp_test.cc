#include "report/otlp.h"

#include <map>
#include <nlohmann/json.hpp>

#include "unit/catch.h"

namespace pinwheel::report {
namespace {

using plan::StepState;
using std::chrono::milliseconds;
using OtlpTestJson = nlohmann::json;

constexpr size_t kMuch = 1'000'000;

plan::TraceTime at(int64_t ms) {
  return plan::TraceTime(milliseconds(1'700'000'000'000 + ms));
}

std::string nano(int64_t ms) {
  return std::to_string((1'700'000'000'000 + ms) * 1'000'000);
}

plan::AttemptTrace attempt(int64_t queued, int64_t start, int64_t end) {
  plan::AttemptTrace trace{.worker = "one"};
  trace.queued = at(queued);
  trace.ran = plan::TraceSpan{at(start), at(end)};
  return trace;
}

plan::StepOutcome outcome(const std::string& id, StepState state,
                          std::vector<plan::AttemptTrace> trace) {
  plan::StepOutcome made{.id = id, .key = "key of " + id, .state = state};
  made.attempts = static_cast<int>(trace.size());
  made.trace = std::move(trace);
  return made;
}

ExportedRun exported() {
  ExportedRun run;
  run.context.trace_id = "0af7651916cd43dd8448eb211c80319c";
  run.name = "20260102T030405-1 one";
  run.pipeline = "pinwheel test";
  run.worker = "one";
  run.span = {at(0), at(10'000)};
  run.resource = {{"service.name", "pinwheel"}, {"service.version", "1.0"}};
  run.attributes = {{"cicd.pipeline.run.id", "77"}, {"vcs.ref.head.revision", ""}};
  return run;
}

/// Spans by name; a name that occurs again has the number of spans so far after it.
std::map<std::string, OtlpTestJson> spans_in(const std::vector<std::string>& requests) {
  std::map<std::string, OtlpTestJson> spans;
  for (const std::string& request : requests) {
    const OtlpTestJson json = OtlpTestJson::parse(request);
    for (const OtlpTestJson& span : json["resourceSpans"][0]["scopeSpans"][0]["spans"]) {
      std::string name = span["name"];
      if (spans.contains(name)) name += " " + std::to_string(spans.size());
      spans[name] = span;
    }
  }
  return spans;
}

std::map<std::string, OtlpTestJson> spans_of(const plan::Report& report,
                                             const ExportedRun& run = exported()) {
  return spans_in(otlp_requests(run, report, kMuch));
}

OtlpTestJson value_of(const OtlpTestJson& thing, const std::string& key) {
  for (const OtlpTestJson& attribute : thing["attributes"]) {
    if (attribute["key"] == key) return attribute["value"].items().begin().value();
  }
  return nullptr;
}

TEST_CASE("a run, its steps, their attempts and phases are spans of one trace") {
  plan::AttemptTrace trace = attempt(100, 400, 1400);
  trace.phases = {{plan::StepPhase::input_fetch, {at(400), at(500)}},
                  {plan::StepPhase::execution, {at(500), at(1400)}}};
  trace.waits = {{plan::WaitCause::dependency, "env:1", milliseconds(200)},
                 {plan::WaitCause::slot, "", milliseconds(100)},
                 {plan::WaitCause::lock, "", milliseconds(7)}};
  trace.cores = 4;
  trace.memory = 1'000'000;
  trace.peak_memory = 5'000'000'000;
  trace.cpu_time = milliseconds(3000);
  plan::StepOutcome build = outcome("build:cpu", StepState::done, {trace});
  build.outputs = {{"a.whl", std::string(64, 'a'), 12}, {"b.whl", std::string(64, 'b'), 30}};
  const std::vector<std::string> requests =
      otlp_requests(exported(), {{build}, milliseconds(10'000)}, kMuch);
  REQUIRE(requests.size() == 1);
  const OtlpTestJson resource = OtlpTestJson::parse(requests[0])["resourceSpans"][0]["resource"];
  CHECK(value_of(resource, "service.name") == "pinwheel");
  const auto spans = spans_in(requests);
  REQUIRE(spans.size() == 5);

  const OtlpTestJson& run = spans.at("pinwheel test");
  CHECK_FALSE(run.contains("parentSpanId"));
  CHECK_FALSE(run.contains("status"));
  CHECK(run["kind"] == 2);
  CHECK(run["startTimeUnixNano"] == nano(0));
  CHECK(run["endTimeUnixNano"] == nano(10'000));
  CHECK(value_of(run, "cicd.pipeline.name") == "pinwheel test");
  CHECK(value_of(run, "cicd.pipeline.result") == "success");
  CHECK(value_of(run, "cicd.pipeline.run.id") == "77");
  CHECK(value_of(run, "vcs.ref.head.revision") == nullptr);
  CHECK(value_of(run, "pinwheel.steps.done") == "1");
  CHECK(value_of(run, "process.exit.code") == "0");

  const OtlpTestJson& step = spans.at("build:cpu");
  CHECK(step["parentSpanId"] == run["spanId"]);
  CHECK(step["startTimeUnixNano"] == nano(100));
  CHECK(step["endTimeUnixNano"] == nano(1400));
  CHECK(value_of(step, "cicd.pipeline.task.name") == "build:cpu");
  CHECK(value_of(step, "cicd.pipeline.task.type") == "build");
  CHECK(value_of(step, "cicd.pipeline.task.run.result") == "success");
  CHECK(value_of(step, "pinwheel.step.key") == "key of build:cpu");
  CHECK(value_of(step, "pinwheel.step.output_bytes") == "42");
  CHECK(value_of(step, "pinwheel.step.outputs")["values"][1]["stringValue"] == "b.whl");

  const OtlpTestJson& tried = spans.at("attempt 1");
  CHECK(tried["parentSpanId"] == step["spanId"]);
  CHECK(tried["spanId"] ==
        plan::span_of_attempt(exported().context, exported().name, "build:cpu", 1));
  CHECK(tried["startTimeUnixNano"] == nano(400));
  CHECK(value_of(tried, "pinwheel.attempt.cores") == "4");
  CHECK(value_of(tried, "pinwheel.attempt.peak_bytes") == "5000000000");
  CHECK(value_of(tried, "pinwheel.attempt.cpu_ms") == "3000");
  CHECK(value_of(tried, "pinwheel.attempt.sent_bytes") == nullptr);
  REQUIRE(tried["events"].size() == 3);
  CHECK(tried["events"][0]["timeUnixNano"] == nano(100));
  CHECK(tried["events"][1]["timeUnixNano"] == nano(300));
  CHECK(tried["events"][2]["timeUnixNano"] == nano(400));
  CHECK(value_of(tried["events"][0], "pinwheel.wait.cause") == "dependency");
  CHECK(value_of(tried["events"][0], "pinwheel.wait.on") == "env:1");
  CHECK(value_of(tried["events"][0], "pinwheel.wait.ms") == "200");

  for (const char* const phase : {"input_fetch", "execution"}) {
    CHECK(spans.at(phase)["parentSpanId"] == tried["spanId"]);
    CHECK(spans.at(phase)["traceId"] == "0af7651916cd43dd8448eb211c80319c");
  }
}

TEST_CASE("the caller's span is the parent of the run") {
  ExportedRun run = exported();
  run.context.parent_span = "b7ad6b7169203331";
  CHECK(spans_of({{}, milliseconds(1)}, run).at("pinwheel test")["parentSpanId"] ==
        "b7ad6b7169203331");
}

TEST_CASE("a failure has a status, and an attempt that was repeated failed") {
  plan::StepOutcome build =
      outcome("build:cpu", StepState::failed, {attempt(0, 0, 10), attempt(10, 20, 30)});
  build.error = Error{ErrorKind::timeout, "it took too long"};
  plan::StepOutcome test = outcome("test:cpu", StepState::blocked, {});
  test.reason = "`build:cpu` failed";
  const auto spans = spans_of({{build, test}, milliseconds(1)});
  REQUIRE(spans.size() == 4);
  CHECK(spans.at("build:cpu")["status"] ==
        OtlpTestJson{{"code", 2}, {"message", "it took too long"}});
  CHECK(value_of(spans.at("build:cpu"), "error.type") == "timeout");
  CHECK(value_of(spans.at("build:cpu"), "cicd.pipeline.task.run.result") == "timeout");
  CHECK(spans.at("attempt 1")["status"]["code"] == 2);
  CHECK(spans.at("attempt 2")["status"]["message"] == "it took too long");
  CHECK(spans.at("pinwheel test")["status"]["code"] == 2);
  CHECK(value_of(spans.at("pinwheel test"), "cicd.pipeline.result") == "failure");
  CHECK(value_of(spans.at("pinwheel test"), "pinwheel.steps.blocked") == "1");
}

TEST_CASE("an attempt that worked after another one has no status") {
  const plan::StepOutcome build =
      outcome("build:cpu", StepState::done, {attempt(0, 0, 10), attempt(10, 20, 30)});
  const auto spans = spans_of({{build}, milliseconds(1)});
  CHECK(spans.at("attempt 1").contains("status"));
  CHECK_FALSE(spans.at("attempt 2").contains("status"));
  CHECK_FALSE(spans.at("build:cpu").contains("status"));
}

TEST_CASE("an interrupted run is exported as such") {
  const plan::StepOutcome build = outcome("build:cpu", StepState::interrupted, {attempt(0, 0, 10)});
  const auto spans = spans_of({{build}, milliseconds(1), 2});
  CHECK(value_of(spans.at("pinwheel test"), "cicd.pipeline.result") == "cancellation");
  CHECK(value_of(spans.at("build:cpu"), "cicd.pipeline.task.run.result") == "cancellation");
}

TEST_CASE("links lead to what a step needs, in other jobs and traces by its recorded span") {
  const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  plan::StepOutcome made = outcome("env:1", StepState::done, {attempt(0, 0, 10)});
  plan::StepOutcome reused = outcome("build:cpu", StepState::reused, {});
  reused.reused_from = "dir:store";
  reused.span = parent;
  plan::StepOutcome untraced = outcome("build:old", StepState::reused, {});
  plan::StepOutcome malformed = untraced;
  malformed.id = "build:odd";
  malformed.span = "00-4bf92f3577b34da6a3ce929d0e0e4736-01";
  plan::StepOutcome test = outcome("test:cpu", StepState::done, {attempt(0, 10, 20)});
  test.needs = {"env:1", "build:cpu", "build:old", "build:odd"};
  const plan::Report report{{made, reused, untraced, malformed, test}, milliseconds(1)};
  const OtlpTestJson links = spans_of(report).at("test:cpu")["links"];
  REQUIRE(links.size() == 2);
  CHECK(links[0]["spanId"] == spans_of(report).at("env:1")["spanId"]);
  CHECK(links[0]["traceId"] == exported().context.trace_id);
  CHECK(links[1]["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(links[1]["spanId"] == "00f067aa0ba902b7");
  CHECK(value_of(links[1], "cicd.pipeline.task.name") == "build:cpu");
}

TEST_CASE("two jobs that make the same result have different spans") {
  const plan::StepOutcome build = outcome("build:cpu", StepState::done, {attempt(0, 0, 9)});
  ExportedRun other = exported();
  other.name += " of another job";
  const auto first = spans_of({{build}, milliseconds(1)});
  const auto second = spans_of({{build}, milliseconds(1)}, other);
  CHECK(first.at("build:cpu")["traceId"] == second.at("build:cpu")["traceId"]);
  for (const auto& [name, span] : first) CHECK(span["spanId"] != second.at(name)["spanId"]);
}

TEST_CASE("requests are below the limit, and contain each span once") {
  std::vector<plan::StepOutcome> outcomes;
  for (int i = 0; i < 50; ++i) {
    outcomes.push_back(
        outcome("build:" + std::to_string(i), StepState::done, {attempt(0, i, i + 1)}));
  }
  const plan::Report report{outcomes, milliseconds(1)};
  constexpr size_t kSmall = 5000;
  const std::vector<std::string> requests = otlp_requests(exported(), report, kSmall);
  CHECK(requests.size() > 5);
  size_t spans = 0;
  for (const std::string& request : requests) {
    CHECK(request.size() <= kSmall);
    spans += OtlpTestJson::parse(request)["resourceSpans"][0]["scopeSpans"][0]["spans"].size();
  }
  CHECK(spans == 101);
  // One span that is longer than the limit is sent alone.
  CHECK(otlp_requests(exported(), report, 10).size() == 101);
}

TEST_CASE("hostile texts are values, and long ones are cut off between characters") {
  plan::StepOutcome build =
      outcome("build:\"}]\xff\n\x1b[31m", StepState::failed, {attempt(0, 0, 10)});
  std::string text(4095, 'a');
  for (int i = 0; i < 1000; ++i) text += "é";
  build.error = Error{ErrorKind::step, text};
  const auto spans = spans_of({{build}, milliseconds(1)});
  const OtlpTestJson& step = spans.at("build:\"}]\xEF\xBF\xBD\n\x1b[31m");
  CHECK(step["status"]["message"] == std::string(4095, 'a') + "...");
}

TEST_CASE("times never run backward in a span") {
  const plan::StepOutcome build = outcome("build:cpu", StepState::done, {attempt(90, 50, 40)});
  const auto spans = spans_of({{build}, milliseconds(1)});
  for (const auto& [name, span] : spans) {
    CHECK(span["startTimeUnixNano"].get<std::string>() <=
          span["endTimeUnixNano"].get<std::string>());
  }
}

}  // namespace
}  // namespace pinwheel::report
