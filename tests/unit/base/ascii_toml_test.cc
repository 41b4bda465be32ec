#include "base/ascii_toml.h"

#include "unit/catch.h"

namespace pinwheel {
namespace {

TEST_CASE("non-ASCII characters become escapes, and nothing else changes") {
  CHECK(to_ascii_toml("") == "");
  CHECK(to_ascii_toml("a = \"b\\n\"\n\x7f\t") == "a = \"b\\n\"\n\x7f\t");
  CHECK(to_ascii_toml("\"\u00e9\u3001\U0001f600\"") == "\"\\U000000E9\\U00003001\\U0001F600\"");
}

TEST_CASE("text that is not UTF-8 returns nullopt") {
  for (const char* const bad : {"\x80", "\xc3", "\xc3(", "\xe3\x80", "\xf0\x9f\x98", "\xff",
                                "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
    CHECK_FALSE(to_ascii_toml(bad).has_value());
  }
}

}  // namespace
}  // namespace pinwheel
