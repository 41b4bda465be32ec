#include "analysis/run_trace.h"

#include "unit/analysis/recorded_runs.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using plan::StepOutcome;
using tests::attempt;
using tests::executed;
using tests::kBegin;

namespace {

std::vector<std::pair<std::string, std::string>> named_flows(const analysis::RunTrace& trace) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const analysis::TraceFlow& flow : trace.flows) {
    names.emplace_back(trace.slices[flow.from].id, trace.slices[flow.to].id);
  }
  return names;
}

}  // namespace

TEST_CASE("attempts that overlap are in different lanes, the others share one") {
  const auto trace = analysis::merge_traces(
      {executed("build:a", {}, {attempt("m", 0ms, 10ms)}),
       executed("build:b", {}, {attempt("m", 5ms, 20ms)}),
       executed("test:a", {"build:a"}, {attempt("m", 10ms, 30ms), attempt("m", 40ms, 40ms)}),
       executed("test:b", {"build:b"}, {attempt("n", 20ms, 30ms)})});
  REQUIRE(trace.machines.size() == 2);
  CHECK(trace.machines[0].lanes == 2);
  CHECK(trace.machines[1].lanes == 1);
  REQUIRE(trace.slices.size() == 5);
  CHECK(trace.slices[2].id == "test:a");
  CHECK(trace.slices[2].lane == trace.slices[0].lane);
  CHECK(trace.slices[4].attempt == 2);
  CHECK(named_flows(trace) == std::vector<std::pair<std::string, std::string>>{
                                  {"build:a", "test:a"}, {"build:b", "test:b"}});
}

TEST_CASE("a clock that is behind is corrected, one that is ahead is not known to be wrong") {
  const auto build = executed("build:a", {}, {attempt("m", 0ms, 100ms)});
  const auto behind =
      analysis::merge_traces({build, executed("test:a", {"build:a"}, {attempt("n", 30ms, 40ms)}),
                              executed("publish:x", {"test:a"}, {attempt("o", 50ms, 60ms)})});
  CHECK(behind.machines[0].offset == 0ms);
  CHECK(behind.machines[1].offset == 70ms);
  CHECK(behind.machines[2].offset == 60ms);
  CHECK(behind.flows.size() == 2);
  CHECK(behind.slices[1].trace.ran->start == kBegin + 100ms);
  const auto ahead = analysis::merge_traces(
      {build, executed("test:a", {"build:a"}, {attempt("n", 130ms, 140ms)})});
  CHECK(ahead.machines[1].offset == 0ms);
}

TEST_CASE("contradictory clocks have no flow") {
  const auto trace =
      analysis::merge_traces({executed("build:a", {}, {attempt("m", 0ms, 100ms)}),
                              executed("build:b", {}, {attempt("n", 0ms, 100ms)}),
                              executed("test:a", {"build:a"}, {attempt("n", 50ms, 60ms)}),
                              executed("test:b", {"build:b"}, {attempt("m", 50ms, 60ms)})});
  CHECK(trace.flows.empty());
  CHECK(trace.machines[0].offset == 0ms);
  CHECK(trace.machines[1].offset == 0ms);
}

TEST_CASE("if the clocks of three machines contradict each other, none is moved") {
  // Each step ends after the start of the one that needs it, in a circle of machines.
  const auto trace =
      analysis::merge_traces({executed("build:a", {}, {attempt("m", 0ms, 100ms)}),
                              executed("build:b", {}, {attempt("n", 0ms, 100ms)}),
                              executed("build:c", {}, {attempt("o", 0ms, 100ms)}),
                              executed("test:c", {"build:c"}, {attempt("m", 50ms, 60ms)}),
                              executed("test:b", {"build:a"}, {attempt("n", 50ms, 60ms)}),
                              executed("test:a", {"build:b"}, {attempt("o", 50ms, 60ms)})});
  REQUIRE(trace.machines.size() == 3);
  for (const analysis::TraceMachine& machine : trace.machines) CHECK(machine.offset == 0ms);
  CHECK(trace.flows.empty());
}

TEST_CASE("a clock that is months behind is not corrected") {
  const auto trace = analysis::merge_traces(
      {executed("build:a", {}, {attempt("m", 0ms, std::chrono::hours(24 * 40))}),
       executed("test:a", {"build:a"}, {attempt("n", 0ms, 10ms)})});
  for (const analysis::TraceMachine& machine : trace.machines) CHECK(machine.offset == 0ms);
}

TEST_CASE("outcomes over a bound of a trace are refused, and the bound is named") {
  std::vector<plan::AttemptTrace> attempts;
  for (int i = 0; i <= 1000; ++i) attempts.push_back(attempt("m" + std::to_string(i), 0ms, 1ms));
  const auto message = [](const plan::StepOutcome& outcome) {
    const Done checked = analysis::check_traceable({outcome});
    return checked ? std::string() : checked.error().message;
  };
  CHECK(message(executed("build:a", {}, attempts)) ==
        "the reports have more than 1000 machines, the limit for a trace");
  attempts.pop_back();
  CHECK(message(executed("build:a", {}, attempts)).empty());
  const std::vector<std::string> needs(2001, "build:b");
  CHECK(message(executed("build:a", needs, attempts)) ==
        "the reports have more than 2000000 needs of attempts, the limit for a trace");
  attempts.assign(200'001, attempt("m", 0ms, 1ms));
  CHECK(message(executed("build:a", {}, attempts)) ==
        "the reports have more than 200000 attempts, the limit for a trace");
}

TEST_CASE("an environment of one machine is not used by another") {
  const auto trace = analysis::merge_traces(
      {executed("env:1", {}, {attempt("m", 0ms, 10ms)}),
       executed("build:a", {"env:1"}, {attempt("n", 5ms, 20ms)}),
       executed("test:a", {"env:1", "build:a"}, {attempt("m", 30ms, 40ms)})});
  CHECK(trace.machines[1].offset == 0ms);
  CHECK(named_flows(trace) == std::vector<std::pair<std::string, std::string>>{
                                  {"build:a", "test:a"}, {"env:1", "test:a"}});
}

TEST_CASE("the same attempt in two files is one, and steps without times are counted") {
  const auto build = executed("build:a", {}, {attempt("m", 0ms, 10ms)});
  StepOutcome old = executed("build:old", {}, {});
  old.attempts = 1;
  const auto trace = analysis::merge_traces({build, build, old, StepOutcome{.id = "build:reused"}});
  CHECK(trace.slices.size() == 1);
  CHECK(trace.unmeasured == 1);
}
