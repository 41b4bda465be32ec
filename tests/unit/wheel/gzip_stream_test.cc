#include "wheel/gzip_stream.h"

#include <random>

#include "unit/catch.h"
#include "wheel/deflate.h"

namespace pinwheel::wheel {
namespace {

constexpr ByteLimit kFree{"a test", UINT64_MAX};

Result<std::string> inflated(const std::string& file, const ByteLimit& limit = kFree) {
  const ports::MemorySource source(file);
  GzipStream stream(source, limit);
  std::string all;
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) return all;
    all += piece;
  }
}

/// Incompressible and compressible bytes.
std::string mixture(size_t size) {
  std::mt19937 random(7);
  std::string text(size, 'a');
  for (size_t i = 0; i < size / 2; ++i) text[i] = static_cast<char>(random());
  return text;
}

TEST_CASE("a gzip file is inflated in pieces, whatever its size") {
  for (const size_t size : {0UL, 1UL, 1UL << 20U, (1UL << 20U) + 1, 5'000'000UL}) {
    INFO(size);
    const std::string text = mixture(size);
    CHECK(inflated(gzip(text)) == text);
  }
}

TEST_CASE("a gzip file that is cut off, changed or continued is corrupt") {
  const std::string good = gzip(mixture(3000));
  for (size_t length = 0; length < good.size(); length += 7) {
    INFO(length);
    CHECK_FALSE(inflated(good.substr(0, length)));
  }
  for (size_t at = 10; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = static_cast<char>(~bad[at]);
    INFO(at);
    const auto text = inflated(bad);
    CHECK((!text || *text == mixture(3000)));
  }
  CHECK_FALSE(inflated(good + "x"));
  CHECK_FALSE(inflated(good + good));
  const auto other = inflated("PK not gzip");
  REQUIRE_FALSE(other);
  CHECK(other.error().message == "the file is not a gzip file");
}

TEST_CASE("a gzip file that inflates beyond its limit is not inflated further") {
  const std::string file = gzip(std::string(5'000'000, 'a'));
  CHECK(inflated(file, {"a test", 5'000'000}));
  const auto refused = inflated(file, {"a test", 3'000'000});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::check);
  CHECK(refused.error().message ==
        "the unpacked gzip file is larger than the limit of 3.0 MB for a test");
}

}  // namespace
}  // namespace pinwheel::wheel
