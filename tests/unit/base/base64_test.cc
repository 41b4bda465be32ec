#include "base/base64.h"

#include "base/digest.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("base64 is read back in both alphabets") {
  std::string bytes;
  for (int i = 0; i < 70; ++i) {
    CAPTURE(bytes);
    CHECK(from_base64(base64(bytes), Base64::padded) == bytes);
    CHECK(from_base64(base64url(bytes), Base64::url) == bytes);
    bytes += static_cast<char>(i * 37);
  }
}

TEST_CASE("text that is no base64 has no bytes") {
  for (const char* text : {"a", "ab", "abc", "a===", "ab=c", "ab==\n", " ab==", "__4=", "é==="}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text, Base64::padded));
  }
  for (const char* text : {"a", "+/4", "ab==", "a b", "ab\n"}) {
    CAPTURE(text);
    CHECK_FALSE(from_base64(text, Base64::url));
  }
}
