#include "run/executor.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

TEST_CASE("a build that continued took as long as all of its runs") {
  plan::StepOutcome outcome;
  outcome.elapsed = 3h;
  run::Success success;
  success.installing = 10min;
  SECTION("of which this run had the last attempt") {
    success.earlier = 5h;
    run::set_duration(success, 2h, outcome);
    CHECK(outcome.elapsed == 7h - 10min);
  }
  SECTION("all of them in this run, with a pause before the last") {
    success.earlier = 90min;
    run::set_duration(success, 1h, outcome);
    CHECK(outcome.elapsed == 3h - 10min);
  }
  SECTION("one run without a checkpoint") {
    run::set_duration(success, 3h, outcome);
    CHECK(outcome.elapsed == 3h - 10min);
  }
  CHECK(outcome.installing == 10min);
}

TEST_CASE("the record of a job replaces what this machine saw, as far as it goes") {
  plan::StepOutcome outcome;
  outcome.elapsed = 9s;
  outcome.installing = 1s;
  outcome.log = "here.log";
  plan::StepOutcome record;
  SECTION("of a job without a result, only the log") {
    record.log = "slurm.out";
    run::adopt_record(record, outcome);
    CHECK(outcome.elapsed == 9s);
    CHECK(outcome.installing == 1s);
    CHECK(outcome.log == "slurm.out");
  }
  SECTION("of a job with a result, its times") {
    record.elapsed = 4s;
    run::adopt_record(record, outcome);
    CHECK(outcome.elapsed == 4s);
    CHECK(outcome.installing == 0s);
    CHECK(outcome.log == "here.log");
  }
}
