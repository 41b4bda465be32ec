#include "base/json.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("JSON with too many levels is rejected before it is parsed") {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  CHECK(read_json(deep).is_discarded());
  CHECK(read_json("{").is_discarded());
  CHECK(read_json("[[1]]") == nlohmann::json::array({{1}}));
  CHECK_THROWS_AS(parse_json(deep), nlohmann::json::exception);
  CHECK_THROWS_AS(parse_json("{"), nlohmann::json::exception);
  CHECK(own_json("{\"b\": 1, \"a\": 2}").dump() == "{\"b\":1,\"a\":2}");
}
