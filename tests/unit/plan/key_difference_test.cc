#include "plan/key.h"

#include <optional>
#include <string>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

TEST_CASE("a difference has comparable values, and no digests") {
  CHECK(to_text(KeyDifference{"version", "\"1.2.0\"", "\"1.3.0\""}) == "version: 1.2.0 -> 1.3.0");
  CHECK(to_text(KeyDifference{"source.digest", std::string(64, 'a'), std::string(64, 'b')}) ==
        "source.digest changed");
  CHECK(to_text(KeyDifference{"variables.A", std::nullopt, "1"}) == "variables.A is new");
  CHECK(to_text(KeyDifference{"variables.A", "1", std::nullopt}) == "variables.A is gone");
}
