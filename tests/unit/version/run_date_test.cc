#include "version/run_date.h"

#include <chrono>
#include <string>

#include "unit/catch.h"

namespace pinwheel::version {
namespace {

const std::chrono::system_clock::time_point kNow(std::chrono::seconds(1795305599));

TEST_CASE("the date of a run is the clock's unless SOURCE_DATE_EPOCH is set") {
  CHECK(date_number(*run_date(std::nullopt, kNow)) == 20261121);
  CHECK(date_number(*run_date("", kNow)) == 20261121);
  CHECK(date_number(*run_date("86399", kNow)) == 19700101);
  CHECK(date_number(*run_date("951782400", kNow)) == 20000229);
}

TEST_CASE("a SOURCE_DATE_EPOCH that is not a number of seconds is a config error") {
  for (const std::string text : {"today", "-1", "12.5", "12 ", "9223372037", "999999999999"}) {
    INFO(text);
    const Result<std::chrono::system_clock::time_point> date = run_date(text, kNow);
    REQUIRE_FALSE(date);
    CHECK(date.error().kind == ErrorKind::config);
  }
}

}  // namespace
}  // namespace pinwheel::version
