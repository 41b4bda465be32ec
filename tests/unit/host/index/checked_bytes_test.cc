#include "host/index/checked_bytes.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("bytes are checked each time they are read from start to end") {
  const auto bytes = std::make_shared<ports::MemorySource>("abcdef");
  const host::CheckedBytes same(bytes, sha256_hex("abcdef"), "a.whl");
  for (int i = 0; i < 2; ++i) {
    CHECK(same.read(0, 4) == "abcd");
    CHECK(same.read(4, 2) == "ef");
    CHECK(same.read(6, 0) == "");
  }
  CHECK(same.read(0, 2) == "ab");
  CHECK_FALSE(same.read(4, 2));
}

TEST_CASE("the last of bytes that have another hash are not given away") {
  const auto bytes = std::make_shared<ports::MemorySource>("abcdef");
  const host::CheckedBytes other(bytes, sha256_hex("abcdeX"), "a.whl");
  CHECK(other.read(0, 5) == "abcde");
  const Result<std::string> last = other.read(5, 1);
  REQUIRE_FALSE(last);
  CHECK(last.error().kind == ErrorKind::check);
  CHECK(last.error().message == "`a.whl` changed after it was checked");
}
