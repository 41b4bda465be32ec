#include "exports/shipped.h"

#include "exports/table_bytes.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the shipped table is readable and has torch") {
  const auto table = exports::parse_table(exports::shipped_table());
  REQUIRE(table);
  CHECK(exports::parse_table(exports::serialize(*table)).value() == *table);
  // The destructor of c10::TensorImpl is in every build, the shim of the Stable ABI is not.
  CHECK(table->exporters("_ZN3c1010TensorImplD1Ev").size() == table->builds().size());
  const auto shim = table->exporters("aoti_torch_delete_tensor_object");
  REQUIRE_FALSE(shim.empty());
  CHECK(shim.size() < table->builds().size());
}
