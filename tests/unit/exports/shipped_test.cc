#include "exports/shipped.h"

#include "exports/table_bytes.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the shipped table is one that this pinwheel reads") {
  const auto table = exports::parse_table(exports::shipped_table());
  REQUIRE(table);
  CHECK(exports::parse_table(exports::serialize(*table)).value() == *table);
}
