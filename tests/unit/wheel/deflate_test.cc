#include "wheel/deflate.h"

#include "base/bytes.h"
#include "unit/catch.h"
#include "unit/wheel/python.h"

namespace pinwheel::wheel {
namespace {

std::string mixed_text() {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * i) + "\n";
  return text;
}

TEST_CASE("the CRC is that of zip and gzip") {
  CHECK(crc32("") == 0);
  CHECK(crc32("123456789") == 0xcbf43926U);
}

TEST_CASE("deflated bytes inflate to the original, at exactly the declared size") {
  for (const std::string& text :
       {std::string(), std::string("a"), mixed_text(), std::string(1000000, 'z')}) {
    const std::string small = deflate(text);
    CHECK(inflate(small, text.size()) == text);
    CHECK(deflate(text) == small);
    CHECK_FALSE(inflate(small, text.size() + 1));
    if (!text.empty()) CHECK_FALSE(inflate(small, text.size() - 1));
    CHECK_FALSE(inflate(small + "x", text.size()));
    CHECK_FALSE(inflate(std::string_view(small).substr(0, small.size() - 1), text.size()));
  }
}

TEST_CASE("a size that deflate cannot reach is rejected before memory is allocated") {
  CHECK(deflate_can_reach(1, 1032));
  CHECK(deflate_can_reach(0, 1031));
  CHECK_FALSE(deflate_can_reach(1, 3000));
  const auto huge = inflate("abc", UINT64_MAX);
  REQUIRE_FALSE(huge);
  CHECK(huge.error().kind == ErrorKind::check);
}

TEST_CASE("gzip has a fixed header and Python reads it") {
  const std::string file = gzip(mixed_text());
  CHECK(file.substr(0, 10) == std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
  CHECK(gunzip(file, mixed_text().size()) == mixed_text());
  const ScratchDirectory scratch;
  CHECK(python("import gzip, sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())",
               scratch.write("x.gz", file)) == mixed_text());
}

TEST_CASE("gzip files that Python wrote, with name and time, are read") {
  const std::string file = python(
      "import gzip, sys\n"
      "with gzip.GzipFile('name', 'wb', fileobj=sys.stdout.buffer, mtime=7) as f: f.write(b'x' * "
      "99)");
  CHECK(gunzip(file, 99) == std::string(99, 'x'));
}

TEST_CASE("corrupt, inconsistent and too large gzip files are rejected") {
  const std::string good = gzip("contents");
  std::string crc = good;
  crc[good.size() - 5] ^= 1;
  std::string size = good.substr(0, good.size() - 4);
  append_le<uint32_t>(size, 7);
  std::string giant = good.substr(0, good.size() - 4);
  append_le<uint32_t>(giant, 0xffffffffU);
  for (const std::string& bad : {std::string(), std::string(30, 'x'), good.substr(0, 20),
                                 good + "x", good + good, crc, size, giant}) {
    const auto text = gunzip(bad, UINT64_MAX);
    REQUIRE_FALSE(text);
    CHECK(text.error().kind == ErrorKind::check);
  }
  CHECK_FALSE(gunzip(good, 7));
}

}  // namespace
}  // namespace pinwheel::wheel
