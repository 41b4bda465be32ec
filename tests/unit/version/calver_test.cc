#include "version/calver.h"

#include <chrono>
#include <string>
#include <utility>

#include "unit/catch.h"

namespace pinwheel::version {
namespace {

std::chrono::system_clock::time_point day(int year, unsigned month) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / 15);
}

std::string after(const std::vector<std::string>& published,
                  std::chrono::system_clock::time_point date) {
  const Result<Derived> derived = calver({std::nullopt, published, date});
  return derived ? pep::to_string(derived->version) : derived.error().message;
}

TEST_CASE("calendar versions count up within a month and start at 0 in a new one") {
  CHECK(after({}, day(2024, 9)) == "24.9.0");
  CHECK(after({"24.1.0"}, day(2024, 9)) == "24.9.0");
  CHECK(after({"24.9.0"}, day(2024, 9)) == "24.9.1");
  CHECK(after({"24.9.1"}, day(2025, 1)) == "25.1.0");
  CHECK(after({"24.9.9", "24.9.10", "23.12.40"}, day(2024, 9)) == "24.9.11");
  CHECK(after({"0.0.0"}, day(2024, 9)) == "24.9.0");
}

TEST_CASE("a pre-release does not use up the number it announces") {
  CHECK(after({"24.9.0", "24.9.1rc1"}, day(2024, 9)) == "24.9.1");
}

TEST_CASE("a frozen version takes precedence over the index") {
  const Result<Derived> derived = calver({"24.9.1\n", std::nullopt, day(2026, 11)});
  REQUIRE(derived);
  CHECK(pep::to_string(derived->version) == "24.9.1");
  for (const std::string text : {"", "24.9", "24.9.1rc1", "24.9.1+cu130", "release"}) {
    INFO(text);
    const Result<Derived> broken = calver({text, std::nullopt, day(2026, 11)});
    REQUIRE_FALSE(broken);
    CHECK(broken.error().kind == ErrorKind::config);
  }
}

TEST_CASE("a release of a later month is an error that names both") {
  CHECK(after({"24.10.0"}, day(2024, 9)) ==
        "newest release `24.10.0` on the index is of a later month than today, 2024-09");
}

TEST_CASE("a newest release that is not a calendar version is an error that names it") {
  CHECK(after({"24.9.0", "1000.1"}, day(2024, 9)) ==
        "newest release `1000.1` on the index is not YY.M.N");
}

TEST_CASE("an index that was not queried is not an index without releases") {
  const Result<Derived> derived = calver({std::nullopt, std::nullopt, day(2024, 9)});
  REQUIRE_FALSE(derived);
  CHECK(derived.error().kind == ErrorKind::config);
  CHECK(derived.error().hint.find("publish target") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::version
