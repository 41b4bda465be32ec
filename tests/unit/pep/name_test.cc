#include "pep/name.h"

#include <string>

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("a project name begins and ends with a letter or digit") {
  CHECK(is_valid_name("Pinwheel.kernels_2"));
  CHECK(is_valid_name("a"));
  for (const std::string name : {"", "-a", "a-", "_a", "a b", "a/b", "ä"}) {
    INFO(name);
    CHECK_FALSE(is_valid_name(name));
  }
}

TEST_CASE("names that differ in case and separators are one name") {
  CHECK(normalize_name("Friendly._-.Bard") == "friendly-bard");
  CHECK(normalize_name("FRIENDLY-BARD") == normalize_name("friendly_bard"));
  CHECK(escape_name("Friendly._-.Bard") == "friendly_bard");
}

}  // namespace
}  // namespace pinwheel::pep
