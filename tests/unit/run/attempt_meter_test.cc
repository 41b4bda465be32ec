#include "run/attempt_meter.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;
using plan::StepPhase;

namespace {

/// A time that tests advance.
struct Watch {
  plan::TraceTime time{1000ms};
  run::AttemptMeter::Now now() {
    return [this] { return time; };
  }
};

}  // namespace

TEST_CASE("phases follow each other without gaps, and end with the attempt") {
  Watch watch;
  run::AttemptMeter meter("m", watch.now());
  watch.time += 3ms;
  meter.start(2, std::nullopt);
  meter.enter(StepPhase::input_fetch);
  watch.time += 5ms;
  meter.enter(StepPhase::execution);
  watch.time += 7ms;
  meter.enter(StepPhase::output_upload);
  watch.time += 11ms;
  const plan::AttemptTrace trace = meter.trace();
  CHECK(trace.ran == plan::TraceSpan{plan::TraceTime(1003ms), plan::TraceTime(1026ms)});
  CHECK(trace.phases ==
        std::vector<plan::TracedPhase>{
            {StepPhase::input_fetch, {plan::TraceTime(1003ms), plan::TraceTime(1008ms)}},
            {StepPhase::execution, {plan::TraceTime(1008ms), plan::TraceTime(1015ms)}},
            {StepPhase::output_upload, {plan::TraceTime(1015ms), plan::TraceTime(1026ms)}}});
}

TEST_CASE("a phase that is entered again goes on") {
  Watch watch;
  run::AttemptMeter meter("m", watch.now());
  meter.start(1, std::nullopt);
  for (const StepPhase phase :
       {StepPhase::input_fetch, StepPhase::execution, StepPhase::input_fetch}) {
    meter.enter(phase);
    watch.time += 2ms;
  }
  CHECK(meter.trace().phases ==
        std::vector<plan::TracedPhase>{
            {StepPhase::input_fetch, {plan::TraceTime(1000ms), plan::TraceTime(1006ms)}}});
}

TEST_CASE("the processes of an attempt are added up") {
  Watch watch;
  run::AttemptMeter meter("m", watch.now());
  CHECK_FALSE(meter.trace().cpu_time);
  CHECK_FALSE(meter.trace().peak_memory);
  CHECK_FALSE(meter.trace().sent);
  meter.add_process({.peak_memory = 5, .cpu_time = 3ms});
  meter.add_process({.peak_memory = 9, .cpu_time = 4ms});
  meter.add_process({});
  meter.add_sent(7);
  meter.add_sent(8);
  meter.add_lock(0ms);
  CHECK(meter.trace().waits.empty());
  meter.add_lock(2ms);
  meter.add_lock(3ms);
  const plan::AttemptTrace trace = meter.trace();
  CHECK(trace.cpu_time == 7ms);
  CHECK(trace.peak_memory == 9);
  CHECK(trace.sent == 15);
  CHECK(trace.waits == std::vector<plan::TracedWait>{{plan::WaitCause::lock, "", 5ms}});
}

TEST_CASE("the commands, fetched bytes and cache hits of an attempt are added up") {
  Watch watch;
  run::AttemptMeter meter("m", watch.now());
  meter.start(1, std::nullopt);
  watch.time += 100ms;
  meter.add_fetched(5);
  meter.add_fetched(7);
  meter.add_hits({"pip", 1, 2});
  meter.add_hits({"ccache", 3, 0});
  meter.add_hits({"pip", 10, 20});
  meter.add_hits({"sccache", 0, 0});
  meter.add_commands({{"late.o", plan::CommandKind::compile, {watch.time - 10ms, watch.time}}});
  meter.add_commands({{"m.so", plan::CommandKind::link, {watch.time - 90ms, watch.time + 5s}}});
  const plan::AttemptTrace trace = meter.trace();
  CHECK(trace.fetched == 12);
  CHECK(trace.caches == std::vector<plan::CacheHits>{{"ccache", 3, 0}, {"pip", 11, 22}});
  CHECK(trace.commands ==
        std::vector<plan::TracedCommand>{
            {"m.so", plan::CommandKind::link, {watch.time - 90ms, watch.time}},
            {"late.o", plan::CommandKind::compile, {watch.time - 10ms, watch.time}}});
}
