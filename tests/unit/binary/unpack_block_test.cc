#include "binary/unpack_block.h"

#include <zstd.h>

#include "unit/catch.h"

namespace pinwheel::binary {
namespace {

TEST_CASE("an LZ4 block has literals and repeats", "[binary]") {
  // "abcabcabc": three literals, then six bytes from three before.
  const std::string block = std::string(
                                "\x32"
                                "abc",
                                4) +
                            std::string("\x03\x00", 2);
  CHECK(unpack_lz4_block(block + std::string("\x10"
                                             "!",
                                             2),
                         10)
            .value() == "abcabcabc!");
  // Lengths of 15 or more continue in further bytes.
  const std::string text(300, 'z');
  CHECK(unpack_lz4_block(std::string("\xf0\xff\x1e", 3) + text, 300).value() == text);
  const std::string run = std::string("\x1fz", 2) + std::string("\x01\x00\x00", 3) +
                          std::string(
                              "\x10"
                              "!",
                              2);
  CHECK(unpack_lz4_block(run, 21).value() == std::string(20, 'z') + "!");
}

TEST_CASE("broken LZ4 blocks are errors", "[binary]") {
  const auto fails = [](const std::string& packed, uint64_t size) {
    const auto unpacked = unpack_lz4_block(packed, size);
    return !unpacked && unpacked.error().kind == ErrorKind::check;
  };
  CHECK(fails("", 1));
  CHECK(
      fails("\x50"
            "ab",
            5));  // literals end
  CHECK(fails(std::string("\x10"
                          "a\x02\x00",
                          4),
              6));  // before the first byte
  CHECK(fails(std::string("\x10"
                          "a\x00\x00",
                          4),
              6));  // distance 0
  CHECK(fails(std::string("\x1f"
                          "a\x01\x00\xff",
                          5),
              600));  // length ends
  CHECK(
      fails("\x30"
            "abc",
            2));  // too long
  CHECK(
      fails("\x30"
            "abc",
            4));  // too short
  CHECK(
      fails("\x10"
            "a",
            uint64_t{1} << 40U));  // cannot be that long
}

TEST_CASE("a zstd frame has exactly its declared size", "[binary]") {
  const std::string text(5000, 'k');
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  CHECK(unpack_zstd_frame(packed, text.size()).value() == text);
  CHECK(!unpack_zstd_frame(packed, text.size() - 1));
  CHECK(!unpack_zstd_frame(packed, text.size() + 1));
  CHECK(!unpack_zstd_frame(packed, uint64_t{1} << 40U));
  CHECK(!unpack_zstd_frame("no frame", 10));
  CHECK(!unpack_zstd_frame("", 0).has_value());
}

}  // namespace
}  // namespace pinwheel::binary
