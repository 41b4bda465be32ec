#include "plan/key_difference.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

TEST_CASE("keys differ in the parts that one has, the other lacks, or both have differently") {
  const KeyParts then = {{"a", "1"}, {"gone", "2"}, {"same", "3"}};
  const KeyParts now = {{"a", "9"}, {"new", "4"}, {"same", "3"}};
  const std::vector<KeyDifference> differences = key_differences(then, now);
  CHECK(differences == std::vector<KeyDifference>{{"a", "1", "9"},
                                                  {"gone", "2", std::nullopt},
                                                  {"new", std::nullopt, "4"}});
  CHECK(key_differences(then, then).empty());
}

TEST_CASE("a difference says what a reader can compare, and no digests") {
  CHECK(to_text(KeyDifference{"version", "\"1.2.0\"", "\"1.3.0\""}) == "version: 1.2.0 -> 1.3.0");
  CHECK(to_text(KeyDifference{"source.digest", std::string(64, 'a'), std::string(64, 'b')}) ==
        "source.digest changed");
  CHECK(to_text(KeyDifference{"variables.A", std::nullopt, "1"}) == "variables.A is new");
  CHECK(to_text(KeyDifference{"variables.A", "1", std::nullopt}) == "variables.A is gone");
}
