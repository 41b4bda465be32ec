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

TEST_CASE("states and evidence are parsed from their names") {
  for (const char* name : {"done", "failed", "blocked", "reused", "skipped", "interrupted"}) {
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

TEST_CASE("an outcome round-trips through JSON") {
  StepOutcome outcome = failed(ErrorKind::out_of_memory);
  outcome.key = "ab";
  outcome.attempts = 2;
  outcome.elapsed = std::chrono::milliseconds(1234);
  outcome.log = "logs/build.2.log";
  outcome.reason = "a \"reason\"\nof two lines";
  outcome.evidence = Evidence::loaded;
  outcome.outputs = {{"a.whl", "cd", 5'000'000'000}};
  outcome.warnings = {"more than planned"};
  outcome.error->hint = "use fewer jobs";
  outcome.error->at = Location{"m.yaml", 7, 3, "x: y"};
  outcome.error->causes = {Error{ErrorKind::step, "cc1plus died"}};
  const std::string json = outcome_json(outcome);
  CHECK(json.find('\n') == std::string::npos);
  const Result<StepOutcome> back = parse_outcome(json);
  REQUIRE(back);
  CHECK(outcome_json(*back) == json);
  CHECK(back->outputs == outcome.outputs);
  CHECK(back->warnings == outcome.warnings);
  CHECK(back->error->kind == ErrorKind::out_of_memory);
  CHECK(back->error->at == outcome.error->at);
  CHECK(back->error->causes.at(0).message == "cc1plus died");
}

TEST_CASE("text that is not an outcome is rejected") {
  for (const char* text : {"", "[]", "{}", R"({"id":"a","key":"b","state":"nearly"})"}) {
    CHECK_FALSE(parse_outcome(text));
  }
}
