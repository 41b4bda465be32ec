#include "report/forecast_text.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::report;
using journal::Expected;

TEST_CASE("builds have a line each, tests with the same fate share one") {
  CHECK(forecast_table({{"env:1", Expected::reuse, "done at one"},
                        {"env:2", Expected::reuse, "done at two"},
                        {"build:cpu", Expected::run, "2 changes since then", {"a", "b"}},
                        {"test:x", Expected::perhaps, "`build:cpu` runs first"},
                        {"test:y", Expected::perhaps, "`build:cpu` runs first"},
                        {"test:z", Expected::run, "never run"}}) ==
        "step            would    because\n"
        "2 environments  reuse    done before\n"
        "build:cpu       run      2 changes since then: a, b\n"
        "2 tests         perhaps  `build:cpu` runs first\n"
        "test:z          run      never run\n");
}

TEST_CASE("a step's forecast names its changes line by line") {
  CHECK(forecast_lines({"build:cpu", Expected::run, "1 change since then", {"version: 1 -> 2"}}) ==
        "  build:cpu would run: 1 change since then\n    version: 1 -> 2\n");
  CHECK(forecast_lines({"test:x", Expected::reuse, "done then"}) ==
        "  test:x would be reused: done then\n");
}

TEST_CASE("the age of resolutions is that of the oldest") {
  using namespace std::chrono_literals;
  CHECK(resolutions_line({{5min}, {50h}, {}}) ==
        "2 environments resolved, the oldest 2 days ago; `--refresh` resolves anew\n"
        "1 environment still to be resolved\n");
  CHECK(resolutions_line({{90min}}) ==
        "1 environment resolved, the oldest 1 hour ago; `--refresh` resolves anew\n");
}
