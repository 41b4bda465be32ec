#include "host/net/http_bounds.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace std::chrono_literals;

TEST_CASE("the bounds of transfers come from the environment") {
  const auto usual = host::http_bounds_from({});
  REQUIRE(usual);
  CHECK(usual->min_speed == 1000);
  CHECK(usual->longest == 15min);
  const auto set =
      host::http_bounds_from({{"PINWHEEL_MIN_SPEED", "20 KB"}, {"PINWHEEL_TRANSFER_TIME", "90s"}});
  REQUIRE(set);
  CHECK(set->min_speed == 20'000);
  CHECK(set->longest == 90s);
  for (const char* name : {"PINWHEEL_MIN_SPEED", "PINWHEEL_TRANSFER_TIME"}) {
    const auto wrong = host::http_bounds_from({{name, "fast"}});
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().kind == ErrorKind::usage);
    CHECK(wrong.error().message.find(name) != std::string::npos);
  }
}

TEST_CASE("a large transfer may last longer") {
  const host::HttpBounds bounds{.longest = 2min};
  CHECK(host::time_for(bounds, 0) == 2min);
  const auto time = host::time_for(bounds, 100'000'000);
  CHECK(time >= 12min);
  CHECK(time < 13min);
}
