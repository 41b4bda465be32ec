#include "plan/outcome.h"

#include <csignal>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

StepOutcome failed(ErrorKind kind) {
  StepOutcome outcome;
  outcome.id = "build:cpu";
  outcome.state = StepState::failed;
  outcome.error = Error{kind, "no"};
  return outcome;
}

}  // namespace

TEST_CASE("the exit code is the lowest of 1, 5 and 6, then any other") {
  CHECK(exit_code(Report{}) == 0);
  CHECK(exit_code(Report{{failed(ErrorKind::publish), failed(ErrorKind::check)}}) == 5);
  CHECK(exit_code(Report{{failed(ErrorKind::check), failed(ErrorKind::step)}}) == 1);
  CHECK(exit_code(Report{{failed(ErrorKind::config), failed(ErrorKind::publish)}}) == 6);
  CHECK(exit_code(Report{{failed(ErrorKind::environment)}}) == 4);
  CHECK(exit_code(Report{{failed(ErrorKind::transient)}}) == 1);
}

TEST_CASE("an interrupted run has the exit code of its signal, whatever failed") {
  Report report{{failed(ErrorKind::step)}};
  report.signal = SIGINT;
  CHECK(exit_code(report) == 130);
  report.signal = SIGTERM;
  CHECK(exit_code(report) == 143);
  // A closed terminal requests the same as SIGTERM.
  report.signal = SIGHUP;
  CHECK(exit_code(report) == 143);
}

TEST_CASE("blocked, skipped and reused steps alone are not a failure") {
  Report report;
  for (const StepState state : {StepState::blocked, StepState::skipped, StepState::reused}) {
    StepOutcome outcome;
    outcome.state = state;
    report.outcomes.push_back(outcome);
  }
  CHECK(exit_code(report) == 0);
}

TEST_CASE("an unfinished step has an exit code of its own, unless another one failed") {
  StepOutcome unfinished;
  unfinished.state = StepState::unfinished;
  unfinished.error = Error{ErrorKind::unfinished, "stopped"};
  CHECK(exit_code(Report{{unfinished}}) == 8);
  CHECK(exit_code(Report{{unfinished, failed(ErrorKind::step)}}) == 1);
  CHECK(exit_code(Report{{unfinished, failed(ErrorKind::internal)}}) == 70);
  Report report{{unfinished}};
  report.signal = SIGINT;
  CHECK(exit_code(report) == 130);
}

TEST_CASE("states and evidence are parsed from their names") {
  for (const char* name :
       {"done", "failed", "blocked", "reused", "skipped", "interrupted", "unfinished"}) {
    REQUIRE(parse_step_state(name));
    CHECK(to_string(*parse_step_state(name)) == name);
  }
  for (const char* name : {"none", "inspected", "loaded", "ran"}) {
    REQUIRE(parse_evidence(name));
    CHECK(to_string(*parse_evidence(name)) == name);
  }
  CHECK_FALSE(parse_step_state("don"));
  CHECK_FALSE(parse_evidence(""));
}

namespace {

AttemptTrace whole_trace() {
  using std::chrono::milliseconds;
  const TraceTime begun = *parse_trace_time("2026-01-02T03:04:05.678Z");
  AttemptTrace trace;
  trace.worker = "a machine";
  trace.queued = begun;
  trace.ran = {begun + milliseconds(7), begun + milliseconds(1007)};
  trace.phases = {{StepPhase::input_fetch, {begun + milliseconds(7), begun + milliseconds(9)}},
                  {StepPhase::execution, {begun + milliseconds(9), begun + milliseconds(1007)}}};
  trace.waits = {{WaitCause::dependency, "env:1", milliseconds(3)},
                 {WaitCause::pool, "upload", milliseconds(4)}};
  trace.cores = 2;
  trace.memory = 3'000'000'000;
  trace.peak_memory = 5'000'000'000;
  trace.cpu_time = milliseconds(1900);
  trace.sent = 6'000'000'000;
  trace.fetched = 7'000'000'000;
  trace.caches = {{"ccache", 5, 2}, {"pip", 1, 0}};
  trace.commands = {
      {"a.o",
       CommandKind::device_compile,
       {begun + milliseconds(8), begun + milliseconds(1000)},
       {{"cicc (sm_90)", milliseconds(600)}, {"ptxas (sm_90)", milliseconds(200)}}},
      {"m.so", CommandKind::link, {begun + milliseconds(1000), begun + milliseconds(1007)}}};
  trace.unlisted = {{CommandKind::compile, 4000, milliseconds(90'000)}};
  return trace;
}

}  // namespace

TEST_CASE("an outcome round-trips through JSON") {
  StepOutcome outcome = failed(ErrorKind::out_of_memory);
  outcome.key = "ab";
  outcome.attempts = 2;
  outcome.elapsed = std::chrono::milliseconds(1234);
  outcome.log = "logs/build.2.log";
  outcome.reason = "a \"reason\"\nof two lines";
  outcome.evidence = Evidence::loaded;
  outcome.outputs = {{"a.whl", "cd", 5'000'000'000}};
  outcome.derivations = {{"b.whl", "a.whl", 3, {"b/METADATA"}, {"b/new"}, {"a/old"}}};
  outcome.warnings = {"more than planned"};
  outcome.needs = {"env:1", "sdist"};
  outcome.reused_from = "a place";
  outcome.span = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  outcome.axes = {{"python", "3.11"}, {"compute", "cpu"}};
  outcome.trace = {whole_trace(), AttemptTrace{}};
  outcome.error->hint = "use fewer jobs";
  outcome.error->at = Location{"m.yaml", 7, 3, "x: y"};
  outcome.error->causes = {Error{ErrorKind::step, "cc1plus died"}};
  const std::string json = outcome_json(outcome);
  CHECK(json.find('\n') == std::string::npos);
  const Result<StepOutcome> back = parse_outcome(json);
  REQUIRE(back);
  CHECK(outcome_json(*back) == json);
  CHECK(back->outputs == outcome.outputs);
  CHECK(back->derivations == outcome.derivations);
  CHECK(back->warnings == outcome.warnings);
  CHECK(back->needs == outcome.needs);
  CHECK(back->reused_from == outcome.reused_from);
  CHECK(back->span == outcome.span);
  CHECK(back->axes == outcome.axes);
  CHECK(back->trace == outcome.trace);
  CHECK(back->error->kind == ErrorKind::out_of_memory);
  CHECK(back->error->at == outcome.error->at);
  CHECK(back->error->causes.at(0).message == "cc1plus died");
}

TEST_CASE("values that were not measured are absent from JSON") {
  StepOutcome outcome;
  outcome.trace = {AttemptTrace{}};
  CHECK(outcome_json(outcome) ==
        R"({"id":"","key":"","state":"done","attempts":0,"elapsed_ms":0,"trace":[{}]})");
  const auto back = parse_outcome(R"({"id":"a","key":"b","state":"done","trace":[{"cores":2}]})");
  REQUIRE(back);
  CHECK(back->trace == std::vector{AttemptTrace{.cores = 2}});
}

TEST_CASE("the times of a trace") {
  for (const char* const text :
       {"1970-01-01T00:00:00.000Z", "2026-01-02T03:04:05.678Z", "2028-02-29T23:59:59.999Z"}) {
    const std::optional<TraceTime> time = parse_trace_time(text);
    REQUIRE(time);
    CHECK(to_string(*time) == text);
  }
  CHECK(parse_trace_time("1970-01-01T00:00:01.002Z")->time_since_epoch().count() == 1002);
  for (const char* const text :
       {"", "2026-01-02T03:04:05Z", "2026-02-30T03:04:05.678Z", "2026-01-02T24:00:00.000Z",
        "2026-01-02T03:04:05.67 Z", "2026-01-02T03:04:05.678Z ", "2026-01-02T03:-4:05.678Z"}) {
    CHECK_FALSE(parse_trace_time(text));
  }
}

TEST_CASE("text that is not an outcome is rejected") {
  for (const char* text : {"", "[]", "{}", R"({"id":"a","key":"b","state":"nearly"})",
                           R"({"id":"a","key":"b","state":"done","trace":1})",
                           R"({"id":"a","key":"b","state":"done","trace":[{"waits":[{"ms":1}]}]})",
                           R"({"id":"a","key":"b","state":"done","trace":[{"worker":7}]})"}) {
    CHECK_FALSE(parse_outcome(text));
  }
}
