#include "base/digest.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a digest in hexadecimal has its length and lower-case digits") {
  const std::string digest = sha256_hex("abc");
  CHECK(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(is_sha256_hex(digest));
  CHECK_FALSE(is_sha256_hex(digest.substr(1)));
  CHECK_FALSE(is_sha256_hex(digest + "0"));
  CHECK_FALSE(is_sha256_hex("B" + digest.substr(1)));
  CHECK(is_hex("00ff"));
  CHECK_FALSE(is_hex("0x1f"));
}
