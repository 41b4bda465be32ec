#include "report/forecast_text.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::report;
using run::Expected;

namespace {

run::Forecast timed(run::Forecast step, double seconds, plan::Prediction prediction) {
  step.seconds = seconds;
  step.prediction = prediction;
  return step;
}

constexpr plan::Prediction kMeasured = plan::Prediction::measured;
constexpr plan::Prediction kGuessed = plan::Prediction::guessed;

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
        "step            would    takes  because\n"
        "2 environments  reuse    -      done before\n"
        "build:cpu       run      1m35s  2 changes since then: a, b\n"
        "2 tests         perhaps  3.5s   `build:cpu` runs first\n"
        "test:z          run      30s?   never run\n");
}

TEST_CASE("the time of a run is its maximum, if every step that may run does") {
  std::vector<run::Forecast> steps = example();
  CHECK(wall_time_line(steps, std::chrono::seconds(128), 2) ==
        "at most 2m08s on 2 cores, estimated from earlier runs; `?` marks steps that never ran "
        "here\n");
  steps.resize(3);
  CHECK(wall_time_line(steps, std::chrono::seconds(95), 1) ==
        "about 1m35s on 1 core, estimated from earlier runs\n");
  steps.resize(2);
  CHECK(wall_time_line(steps, std::chrono::seconds(0), 2).empty());
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
