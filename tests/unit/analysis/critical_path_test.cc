#include "analysis/critical_path.h"

#include <algorithm>
#include <set>

#include "analysis/slot_time.h"
#include "unit/analysis/recorded_runs.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using analysis::SlotClass;
using std::chrono::milliseconds;
using tests::attempt;
using tests::executed;
using tests::kBegin;

namespace {

milliseconds spent(const analysis::SlotTime& time, SlotClass slot_class) {
  return time.spent[static_cast<size_t>(slot_class)];
}

/// The length of the critical path if the attempts of a step took no time.
milliseconds length_without(analysis::RunTrace trace, const std::string& id, size_t machine) {
  for (analysis::TraceSlice& slice : trace.slices) {
    if (slice.id == id && slice.machine == machine) {
      slice.trace.ran->completed = slice.trace.ran->start;
    }
  }
  return analysis::critical_path(trace).length;
}

}  // namespace

TEST_CASE("the critical path is the longest chain, and a step saves what the next chain allows") {
  const auto trace = analysis::merge_traces(
      {executed("env:1", {}, {attempt("m", 0ms, 10ms)}),
       executed("build:a", {"env:1"}, {attempt("m", 10ms, 40ms), attempt("m", 50ms, 110ms)}),
       executed("build:b", {"env:1"}, {attempt("m", 10ms, 70ms)}),
       executed("test:a", {"build:a"}, {attempt("m", 120ms, 125ms)}),
       executed("test:b", {"build:b"}, {attempt("m", 70ms, 80ms)})});
  const analysis::CriticalPath path = analysis::critical_path(trace);
  CHECK(analysis::makespan(trace) == 125ms);
  CHECK(path.length == 105ms);
  REQUIRE(path.steps.size() == 3);
  CHECK(path.steps[0].id == "env:1");
  CHECK(path.steps[0].saves == 10ms);
  CHECK(path.steps[1].id == "build:a");
  CHECK(path.steps[1].spent == 90ms);
  // Without it, env:1, build:b and test:b still take 80 ms.
  CHECK(path.steps[1].saves == 25ms);
  CHECK(trace.slices[path.steps[1].last].attempt == 2);
  CHECK(path.steps[2].saves == 5ms);
  CHECK(analysis::critical_path({}).steps.empty());
  CHECK(analysis::makespan({}) == 0ms);
}

TEST_CASE("idle slots have the cause of what waited") {
  auto build = attempt("m", 0ms, 100ms);
  build.phases = {{plan::StepPhase::input_fetch, {kBegin, kBegin + 30ms}},
                  {plan::StepPhase::execution, {kBegin + 30ms, kBegin + 90ms}},
                  {plan::StepPhase::output_upload, {kBegin + 90ms, kBegin + 100ms}}};
  build.waits = {{plan::WaitCause::lock, "", 20ms}};
  build.commands = {{"a.o", plan::CommandKind::compile, {kBegin + 30ms, kBegin + 60ms}},
                    {"b.o", plan::CommandKind::device_compile, {kBegin + 40ms, kBegin + 60ms}},
                    {"x.so", plan::CommandKind::link, {kBegin + 60ms, kBegin + 95ms}}};
  auto other = attempt("m", 40ms, 60ms);
  other.queued = kBegin;
  other.waits = {{plan::WaitCause::memory, "", 40ms}};
  auto test = attempt("m", 100ms, 110ms);
  test.queued = kBegin;
  test.waits = {{plan::WaitCause::dependency, "build:a", 100ms}};
  auto away = attempt("n", 20ms, 50ms);
  const auto time = analysis::slot_time(analysis::merge_traces(
      {executed("build:a", {}, {build}), executed("build:b", {}, {other}),
       executed("test:a", {"build:a"}, {test}), executed("test:b", {}, {away})}));
  CHECK(time.makespan == 110ms);
  CHECK(time.slots == 3);
  CHECK(spent(time, SlotClass::fetch) == 10ms);
  CHECK(spent(time, SlotClass::idle_lock) == 20ms);
  CHECK(spent(time, SlotClass::compile) == 20ms);
  CHECK(spent(time, SlotClass::device_compile) == 10ms);
  CHECK(spent(time, SlotClass::link) == 30ms);
  CHECK(spent(time, SlotClass::build) == 20ms);
  CHECK(spent(time, SlotClass::package) == 10ms);
  CHECK(spent(time, SlotClass::test) == 40ms);
  CHECK(spent(time, SlotClass::idle_memory) == 40ms);
  CHECK(spent(time, SlotClass::idle_dependency) == 40ms);
  CHECK(spent(time, SlotClass::idle_nothing) == 10ms);
  CHECK(spent(time, SlotClass::absent) == 80ms);
  CHECK(analysis::to_string(SlotClass::absent) == "absent");
  CHECK(analysis::title_of(SlotClass::idle_slot) == "waited for cores");
}

TEST_CASE("bounds of 1,000 random runs hold") {
  std::mt19937_64 random(11);
  for (int run = 0; run < 1000; ++run) {
    const auto trace = analysis::merge_traces(tests::random_run(random));
    const analysis::CriticalPath path = analysis::critical_path(trace);
    const milliseconds whole = analysis::makespan(trace);
    milliseconds sum{0};
    bool good = path.length <= whole;
    for (const analysis::CriticalStep& step : path.steps) {
      sum += step.spent;
      const size_t machine = trace.slices[step.first].machine;
      good = good && step.saves >= 0ms && step.saves <= step.spent &&
             step.saves == path.length - length_without(trace, step.id, machine);
    }
    good = good && sum == path.length;
    for (size_t i = 1; i < path.steps.size(); ++i) {
      good = good && trace.slices[path.steps[i - 1].last].trace.ran->completed <=
                         trace.slices[path.steps[i].first].trace.ran->start;
    }
    const analysis::SlotTime time = analysis::slot_time(trace);
    milliseconds classes{0};
    for (const milliseconds each : time.spent) {
      classes += each;
      good = good && each >= 0ms;
    }
    good = good && classes == time.total() && time.makespan == whole;
    // Merged traces are monotonic: by start, and no flow points backward.
    good = good && std::ranges::is_sorted(trace.slices, {}, [](const analysis::TraceSlice& slice) {
             return slice.trace.ran->start;
           });
    for (const analysis::TraceFlow& flow : trace.flows) {
      good = good &&
             trace.slices[flow.from].trace.ran->completed <= trace.slices[flow.to].trace.ran->start;
    }
    CHECK(good);
  }
}
