#include "report/forecast_text.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::report;
using run::Expected;

namespace {

constexpr plan::Prediction kMeasured = plan::Prediction::measured;
constexpr plan::Prediction kScaled = plan::Prediction::scaled;
constexpr plan::Prediction kGuessed = plan::Prediction::guessed;

run::Forecast timed(run::Forecast step, double seconds, plan::Prediction prediction) {
  step.seconds = seconds;
  step.prediction = prediction;
  if (prediction != kGuessed) step.p90 = 2 * seconds;
  return step;
}

std::vector<run::Forecast> example() {
  return {timed({"env:1", Expected::reuse, "done at one"}, 60, kMeasured),
          timed({"env:2", Expected::reuse, "done at two"}, 60, kGuessed),
          timed({"build:cpu", Expected::run, "2 changes since then", {"a", "b"}}, 95, kMeasured),
          timed({"test:x", Expected::perhaps, "`build:cpu` runs first"}, 1.5, kMeasured),
          timed({"test:y", Expected::perhaps, "`build:cpu` runs first"}, 2, kMeasured),
          timed({"test:z", Expected::run, "never run"}, 30, kGuessed)};
}

}  // namespace

TEST_CASE("builds have a line each, tests with the same forecast share one") {
  CHECK(forecast_table(example()) ==
        "step            would    p50    p90    because\n"
        "2 environments  reuse    -      -      done before\n"
        "build:cpu       run      1m35s  3m10s  2 changes since then: a, b\n"
        "2 tests         perhaps  3.5s   7.0s   `build:cpu` runs first\n"
        "test:z          run      30s?   -      never run\n");
}

TEST_CASE("without an earlier run, a forecast has only the durations of steps") {
  CHECK(forecast_table({timed({"build:cpu", Expected::run, ""}, 95, kScaled),
                        timed({"test:x", Expected::run, ""}, 30, kGuessed),
                        timed({"test:y", Expected::run, ""}, 30, kScaled)}) ==
        "steps      p50     p90\n"
        "build:cpu  1m35s?  3m10s?\n"
        "2 tests    1m00s?  -\n");
}

TEST_CASE("the time of a run is its maximum, if every step that may run does") {
  using namespace std::chrono_literals;
  TimedForecast forecast{example(), {128s}};
  forecast.run.slots = 2;
  forecast.run.least = {{{2, 5}, 125s}, 128500ms, 64250ms, 125s};
  CHECK(duration_lines(forecast) ==
        "at most 2m08s on 2 cores, estimated from earlier runs; `?` marks steps that never ran "
        "here\n"
        "no schedule takes less than 2m05s: the critical path takes 2m05s, the work 1m04s per "
        "core\n"
        "critical path: build:cpu, test:z\n");
  forecast.steps.resize(3);
  forecast.run = {95s, {{{2}, 95s}, 95s, 95s, 95s}, 1};
  forecast.unit = SlotUnit::slots;
  CHECK(duration_lines(forecast) ==
        "about 1m35s with 1 slot, estimated from earlier runs\n"
        "no schedule takes less than 1m35s: the critical path takes 1m35s, the work 1m35s per "
        "slot\n"
        "critical path: build:cpu\n");
  for (run::Forecast& step : forecast.steps) step.prediction = kGuessed;
  CHECK(duration_lines(forecast).starts_with(
      "about 1m35s with 1 slot, guessed from architectures and sources; nothing like it ran "
      "here\n"));
  forecast.steps.resize(2);
  CHECK(duration_lines(forecast).empty());
}

TEST_CASE("a step's forecast lists its changes line by line") {
  CHECK(forecast_lines({"build:cpu", Expected::run, "1 change since then", {"version: 1 -> 2"}}) ==
        "  build:cpu would run: 1 change since then\n    version: 1 -> 2\n");
  CHECK(forecast_lines({"test:x", Expected::reuse, "done then"}) ==
        "  test:x would be reused: done then\n");
}

TEST_CASE("the age of resolutions is that of the oldest") {
  using namespace std::chrono_literals;
  CHECK(resolutions_line({{5min}, {50h}, {}}) ==
        "2 environments resolved, the oldest 2 days ago; `--refresh` resolves again\n"
        "1 environment still to be resolved\n");
  CHECK(resolutions_line({{90min}}) ==
        "1 environment resolved, the oldest 1 hour ago; `--refresh` resolves again\n");
}
