#include "matrix/json_schema.h"

#include "unit/catch.h"
#include "unit/golden.h"

using namespace pinwheel;

TEST_CASE("the JSON Schema in matrix/ matches the schema table") {
  const std::string text = matrix::json_schema();
  CHECK(text == testing::golden("matrix/pinwheel.schema.json", text));
}
