#include "ci/pins.h"

#include "unit/catch.h"

namespace pinwheel::ci {

TEST_CASE("a list of releases shows which pins are behind", "[updates]") {
  const std::string commit(40, 'a');
  const std::string list = "# newest\n\nactions/checkout v9.0.0 " + commit + "\nsomebody/else v1 " +
                           commit + "\n" + std::string(kPins[1].action) + " " +
                           std::string(kPins[1].version) + " " + std::string(kPins[1].commit) +
                           "\n";
  const auto updates = updates_in(list, "pins.txt");
  REQUIRE(updates);
  REQUIRE(updates->size() == 1);
  CHECK(updates->front().pin.action == "actions/checkout");
  CHECK(updates->front().version == "v9.0.0");
}

TEST_CASE("a line that is no release is an error with its place", "[updates]") {
  for (const char* line : {"actions/checkout v9", "actions/checkout v9 abc", "a b c d"}) {
    const auto updates = updates_in(std::string("\n") + line, "pins.txt");
    REQUIRE_FALSE(updates);
    CHECK(updates.error().kind == ErrorKind::config);
    CHECK(updates.error().at->line == 2);
  }
}

}  // namespace pinwheel::ci
