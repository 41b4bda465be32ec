#include "publish/upload_time.h"

#include "unit/catch.h"

using namespace pinwheel;
using publish::parse_upload_time;

TEST_CASE("an upload time has six digits of the second, in UTC") {
  const std::chrono::system_clock::time_point time{std::chrono::seconds(1'767'323'045) +
                                                   std::chrono::nanoseconds(67'089'999)};
  CHECK(publish::to_upload_time(time) == "2026-01-02T03:04:05.067089Z");
  CHECK(publish::to_upload_time(std::chrono::floor<std::chrono::seconds>(time)) ==
        "2026-01-02T03:04:05.000000Z");
  CHECK(parse_upload_time("2026-01-02T03:04:05.067089Z") ==
        std::chrono::floor<std::chrono::microseconds>(time));
}

TEST_CASE("upload times of other indexes are read") {
  const auto second = parse_upload_time("2026-01-02T03:04:05Z");
  REQUIRE(second);
  CHECK(second->time_since_epoch() == std::chrono::seconds(1'767'323'045));
  CHECK(parse_upload_time("2026-01-02T05:34:05+02:30") == second);
  CHECK(parse_upload_time("2026-01-01 20:04:05.000-07:00") == second);
  CHECK(parse_upload_time("2026-01-02T03:04:05.1234567Z") ==
        *second + std::chrono::microseconds(123'456));
}

TEST_CASE("what is no upload time is not read") {
  for (const char* text : {"", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z",
                           "2026-02-30T03:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T03:60:05Z",
                           "2026-01-02T03:04:61Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Z ",
                           "26-01-02T03:04:05Z", "2026-01-02T03:04:05+0200", "yesterday"}) {
    INFO(text);
    CHECK_FALSE(parse_upload_time(text));
  }
}

TEST_CASE("the day of an upload time is known without its time") {
  using std::chrono::year;
  const std::chrono::sys_days day = year(2026) / std::chrono::July / 1;
  for (const char* const text : {"2026-07-01T12:00:00.5Z", "2026-07-01T12:00", "2026-07-01"}) {
    CHECK(publish::parse_upload_day(text) == day);
  }
  for (const char* const other : {"", "2026-07", "2026-13-01", "1 July 2026"}) {
    CHECK_FALSE(publish::parse_upload_day(other));
  }
}
