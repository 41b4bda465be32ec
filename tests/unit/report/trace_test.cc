#include "report/trace.h"

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "report/trace_text.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using plan::StepOutcome;
using plan::TraceTime;

namespace {

const TraceTime kBegin = *plan::parse_trace_time("2026-01-02T03:04:05.000Z");

plan::AttemptTrace attempt(const std::string& worker, std::chrono::milliseconds from,
                           std::chrono::milliseconds to) {
  plan::AttemptTrace trace;
  trace.worker = worker;
  trace.ran = plan::TraceSpan{kBegin + from, kBegin + to};
  return trace;
}

StepOutcome executed(const std::string& id, std::vector<std::string> needs,
                     std::vector<plan::AttemptTrace> attempts) {
  StepOutcome outcome;
  outcome.id = id;
  outcome.attempts = static_cast<int>(attempts.size());
  outcome.needs = std::move(needs);
  outcome.trace = std::move(attempts);
  return outcome;
}

std::vector<std::pair<std::string, std::string>> named_flows(const report::RunTrace& trace) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const report::TraceFlow& flow : trace.flows) {
    names.emplace_back(trace.slices[flow.from].id, trace.slices[flow.to].id);
  }
  return names;
}

/// Outcomes of machines whose clocks differ; each step needs some of the earlier ones.
std::vector<StepOutcome> random_run(std::mt19937_64& random) {
  const auto below = [&random](int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random);
  };
  std::vector<StepOutcome> outcomes;
  const int count = below(40);
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> needs;
    for (int earlier = 0; earlier < i; ++earlier) {
      if (below(8) == 0) needs.push_back(outcomes[static_cast<size_t>(earlier)].id);
    }
    std::vector<plan::AttemptTrace> attempts;
    std::chrono::milliseconds time(below(1000));
    for (int k = below(3); k >= 0; --k) {
      const std::chrono::milliseconds end = time + std::chrono::milliseconds(below(200));
      attempts.push_back(attempt("m" + std::to_string(below(3)), time, end));
      attempts.back().phases = {
          {plan::StepPhase::execution, {kBegin + time + (end - time) / 3, kBegin + end}}};
      time = end;
    }
    const char* const kind = i % 3 == 0 ? "env:" : "build:";
    outcomes.push_back(executed(kind + std::to_string(i), needs, attempts));
  }
  return outcomes;
}

}  // namespace

TEST_CASE("attempts that overlap are in different lanes, the others share one") {
  const auto trace = report::merge_traces(
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
      report::merge_traces({build, executed("test:a", {"build:a"}, {attempt("n", 30ms, 40ms)}),
                            executed("publish:x", {"test:a"}, {attempt("o", 50ms, 60ms)})});
  CHECK(behind.machines[0].offset == 0ms);
  CHECK(behind.machines[1].offset == 70ms);
  CHECK(behind.machines[2].offset == 60ms);
  CHECK(behind.flows.size() == 2);
  CHECK(behind.slices[1].trace.ran->start == kBegin + 100ms);
  const auto ahead =
      report::merge_traces({build, executed("test:a", {"build:a"}, {attempt("n", 130ms, 140ms)})});
  CHECK(ahead.machines[1].offset == 0ms);
}

TEST_CASE("contradictory clocks have no flow") {
  const auto trace =
      report::merge_traces({executed("build:a", {}, {attempt("m", 0ms, 100ms)}),
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
      report::merge_traces({executed("build:a", {}, {attempt("m", 0ms, 100ms)}),
                            executed("build:b", {}, {attempt("n", 0ms, 100ms)}),
                            executed("build:c", {}, {attempt("o", 0ms, 100ms)}),
                            executed("test:c", {"build:c"}, {attempt("m", 50ms, 60ms)}),
                            executed("test:b", {"build:a"}, {attempt("n", 50ms, 60ms)}),
                            executed("test:a", {"build:b"}, {attempt("o", 50ms, 60ms)})});
  REQUIRE(trace.machines.size() == 3);
  for (const report::TraceMachine& machine : trace.machines) CHECK(machine.offset == 0ms);
  CHECK(trace.flows.empty());
}

TEST_CASE("a clock that is months behind is not corrected") {
  const auto trace = report::merge_traces(
      {executed("build:a", {}, {attempt("m", 0ms, std::chrono::hours(24 * 40))}),
       executed("test:a", {"build:a"}, {attempt("n", 0ms, 10ms)})});
  for (const report::TraceMachine& machine : trace.machines) CHECK(machine.offset == 0ms);
}

TEST_CASE("outcomes over a bound of a trace are refused, and the bound is named") {
  std::vector<plan::AttemptTrace> attempts;
  for (int i = 0; i <= 1000; ++i) attempts.push_back(attempt("m" + std::to_string(i), 0ms, 1ms));
  const auto message = [](const plan::StepOutcome& outcome) {
    const Done checked = report::check_traceable({outcome});
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
  const auto trace =
      report::merge_traces({executed("env:1", {}, {attempt("m", 0ms, 10ms)}),
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
  const auto trace = report::merge_traces({build, build, old, StepOutcome{.id = "build:reused"}});
  CHECK(trace.slices.size() == 1);
  CHECK(trace.unmeasured == 1);
}

TEST_CASE("events of random runs are in order, nest in their threads, and flows end in slices") {
  std::mt19937_64 random(7);
  for (int run = 0; run < 100; ++run) {
    const auto merged = report::merge_traces(random_run(random));
    const auto json = nlohmann::json::parse(report::chrome_trace(merged));
    int64_t last = 0;
    // The open slices of each thread, by their ends; flows by their number.
    std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> open;
    std::map<int64_t, std::vector<std::string>> flows;
    size_t steps = 0;
    bool good = true;
    for (const auto& event : json.at("traceEvents")) {
      const std::string kind = event.at("ph");
      if (kind == "M") continue;
      const int64_t time = event.at("ts");
      good = good && time >= last;
      last = time;
      if (kind == "C") continue;
      auto& ends = open[{event.at("pid"), event.at("tid")}];
      while (!ends.empty() && ends.back() <= time) ends.pop_back();
      if (kind == "X") {
        const int64_t end = time + event.at("dur").get<int64_t>();
        good = good && end > time && (ends.empty() || end <= ends.back());
        steps += ends.empty() ? 1 : 0;
        ends.push_back(end);
      } else {
        good = good && !ends.empty();
        flows[event.at("id")].push_back(kind);
      }
    }
    CHECK(good);
    CHECK(steps == merged.slices.size());
    CHECK(flows.size() == merged.flows.size());
    for (const auto& [number, kinds] : flows) CHECK(kinds == std::vector<std::string>{"s", "f"});
  }
}

TEST_CASE("names from outside are only strings in the trace") {
  auto hostile = executed("build:<script>\"\n\xff", {}, {attempt("\"},{", 0ms, 1ms)});
  const std::string text = report::chrome_trace(report::merge_traces({hostile}));
  CHECK(nlohmann::json::parse(text).at("traceEvents").size() > 4);
  CHECK(nlohmann::json::parse(report::chrome_trace({})).at("traceEvents").empty());
}

TEST_CASE("the table and the JSON of a trace have a row for each attempt") {
  auto first = attempt("m", 0ms, 2s);
  first.waits = {{plan::WaitCause::slot, "", 1s},
                 {plan::WaitCause::pool, "upload", 1s},
                 {plan::WaitCause::slot, "", 1s}};
  first.cpu_time = 3s;
  first.peak_memory = 5'000'000;
  const auto trace = report::merge_traces({executed("build:a", {}, {first, attempt("m", 4s, 5s)})});
  CHECK(report::trace_table(trace, 0) ==
        "step                 state   start  time  cpu   memory  waited\n"
        "build:a              failed  0.0s   2.0s  3.0s  5.0 MB  3.0s for slot, upload\n"
        "build:a (attempt 2)  done    4.0s   1.0s\n");
  const auto json = nlohmann::json::parse(report::trace_json(trace));
  CHECK(json.at("machines").at(0).at("name") == "m");
  REQUIRE(json.at("attempts").size() == 2);
  CHECK(json.at("attempts").at(0).at("trace").at("cpu_ms") == 3000);
  CHECK_FALSE(json.at("attempts").at(1).at("trace").contains("cpu_ms"));
}
