#include "inspect/cause.h"

#include "unit/catch.h"

namespace pinwheel::inspect {
namespace {

std::string_view cause(std::string_view left, std::string_view right) {
  return to_string(cause_of({left, "1.0"}, {right, "1.1"}));
}

TEST_CASE("each cause explains only its own differences") {
  CHECK(cause("version = 1.0\n", "version = 1.1\n") == "version");
  CHECK(cause("built 2026-11-20 09:12:13", "built 2026-11-21 10:00:00") == "time");
  CHECK(cause("Nov 22 2026", "Nov  1 2025") == "time");
  CHECK(cause("t=1767323045;", "t=1767323046;") == "time");
  CHECK(cause("in /home/a/src/x.c line 3", "in /build/src/x.c line 3") == "path");
  CHECK(cause("id 0123456789abcdef", "id fedcba9876543210") == "random");
  CHECK(cause("8c2a5b6e-1f2d-4c3b-9a8e-7d6c5b4a3f2e", "0c2a5b6e-1f2d-4c3b-9a8e-7d6c5b4a3f2e") ==
        "random");
  CHECK(cause("a\nb\nc\n", "c\na\nb\n") == "order");
  CHECK(cause("x = 1\n", "x = 2\n") == "contents");
}

TEST_CASE("more than one cause is reported as several") {
  CHECK(cause("1.0 in /home/a/x", "1.1 in /build/b/c") == "several");
  CHECK(cause("1.0 x", "1.1 y") == "contents");
}

TEST_CASE("shapes match at the beginning of a word") {
  CHECK(cause("x1767323045y1", "x1767323046y1") == "contents");
  CHECK(cause("17673230451", "17673230461") == "random");
  CHECK(cause("a/b", "a/c") == "contents");
  CHECK(cause("/", "//") == "contents");
  CHECK(cause("", "x") == "contents");
}

}  // namespace
}  // namespace pinwheel::inspect
