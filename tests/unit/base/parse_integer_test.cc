#include "base/parse_integer.h"

#include "unit/catch.h"

namespace pinwheel {
namespace {

TEST_CASE("an integer is all of a text") {
  CHECK(parse_integer("12") == 12);
  CHECK(parse_integer("-2") == -2);
  for (const char* const other : {"", "1x", " 1", "+1", "1.0", "99999999999"}) {
    CHECK_FALSE(parse_integer(other));
  }
}

TEST_CASE("an unsigned integer has up to 64 bits") {
  CHECK(parse_unsigned("18446744073709551615") == UINT64_MAX);
  for (const char* const other : {"", "-2", "1x", "18446744073709551616"}) {
    CHECK_FALSE(parse_unsigned(other));
  }
}

}  // namespace
}  // namespace pinwheel
