#include "base/utf8.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a text is UTF-8 if each of its characters is") {
  for (const char* text : {"", "plain", "caf\xc3\xa9", "\xf0\x9f\x8e\xa1"}) {
    INFO(text);
    CHECK(is_utf8(text));
  }
  for (const char* text : {"caf\xe9", "\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80"}) {
    INFO(text);
    CHECK_FALSE(is_utf8(text));
  }
}
