#include "wheel/deflate_part.h"

#include <vector>

#include "base/bytes.h"
#include "unit/catch.h"
#include "unit/wheel/python.h"
#include "wheel/deflate.h"

namespace pinwheel::wheel {
namespace {

struct Sample {
  std::string raw;
  std::string stream;
};

/// A megabyte: names, then numbers that hardly repeat, then names again; compressed by zlib.
Sample zlib_sample(int level, const std::string& strategy) {
  static constexpr const char* kProgram = R"(
import random, struct, sys, zlib
level, strategy = sys.argv[1].split()
chance = random.Random(7)
def names(count):
    return b"".join(b"_ZN2at4_ops%d%s4callERKNS_6TensorE" % (chance.randrange(5000), b"abcdefgh"[i % 7:])
                    for i in range(count))
numbers = b"".join(struct.pack("<QI", i * 24, chance.getrandbits(30)) for i in range(30000))
raw = names(8000) + bytes(30000) + chance.randbytes(3000) + numbers + names(8000)
made = zlib.compressobj(int(level), zlib.DEFLATED, -15, 8, getattr(zlib, strategy))
stream = made.compress(raw) + made.flush()
sys.stdout.buffer.write(struct.pack("<Q", len(raw)) + raw + stream)
)";
  const std::string out = python(kProgram, std::to_string(level) + " " + strategy);
  const uint64_t length = load_le<uint64_t>(out, 0).value_or(0);
  return {out.substr(8, length), out.substr(8 + length)};
}

/// Checks that the known bytes of the tail are correct, and that the others are marked as unknown.
void check_tail(const Sample& sample, const InflatedTail& tail) {
  REQUIRE(tail.bytes.size() <= sample.raw.size());
  std::string expected = sample.raw.substr(sample.raw.size() - tail.bytes.size());
  uint64_t last = 0;
  bool ascending = true;
  for (const Extent& gap : tail.unknown) {
    ascending = ascending && gap.from >= last && gap.to > gap.from;
    REQUIRE(gap.to <= expected.size());
    expected.replace(gap.from, gap.to - gap.from, gap.to - gap.from, '\0');
    last = gap.to;
  }
  CHECK(ascending);
  CHECK((tail.bytes == expected));
}

TEST_CASE("the end of a zlib stream is read without its beginning") {
  for (const int level : {1, 6, 9}) {
    for (const char* strategy : {"Z_DEFAULT_STRATEGY", "Z_FILTERED", "Z_RLE", "Z_HUFFMAN_ONLY"}) {
      INFO("level " << level << ", " << strategy);
      const Sample sample = zlib_sample(level, strategy);
      const auto tail = inflate_tail(
          std::string_view(sample.stream).substr(sample.stream.size() / 3), sample.raw.size());
      REQUIRE(tail);
      CHECK(tail->bytes.size() > sample.raw.size() / 3);
      check_tail(sample, *tail);
      const uint64_t settled = tail->unknown.empty() ? 0 : tail->unknown.back().to;
      CHECK(settled < tail->bytes.size() / 2);
    }
  }
}

TEST_CASE("a tail of a stream is read whatever byte it begins at") {
  const Sample sample = zlib_sample(6, "Z_DEFAULT_STRATEGY");
  for (uint64_t size = 90000; size < 100000; size += 997) {
    const auto tail = inflate_tail(
        std::string_view(sample.stream).substr(sample.stream.size() - size), sample.raw.size());
    REQUIRE(tail);
    check_tail(sample, *tail);
  }
}

TEST_CASE("a longer tail stops at the blocks known from a shorter one") {
  const Sample sample = zlib_sample(6, "Z_DEFAULT_STRATEGY");
  const std::string_view stream = sample.stream;
  InflatedTail tail;
  for (size_t size = stream.size() / 4; size < stream.size(); size += stream.size() / 8) {
    const std::string_view end = stream.substr(stream.size() - size);
    const auto longer = inflate_tail(end, sample.raw.size(), tail);
    REQUIRE(longer);
    check_tail(sample, *longer);
    CHECK((longer->blocks == inflate_tail(end, sample.raw.size())->blocks));
    tail = *longer;
  }
  // Known bytes are not decoded again: if all but the new part is known, the budget may be small.
  const uint64_t known = tail.bytes.size();
  const auto all = inflate_tail(stream, sample.raw.size() - known + known / 2, tail);
  REQUIRE(all);
  CHECK(all->bytes.size() > known);
}

TEST_CASE("a chunk from the middle of a stream inflates to the bytes there") {
  for (const char* strategy : {"Z_DEFAULT_STRATEGY", "Z_FILTERED", "Z_RLE"}) {
    INFO(strategy);
    const Sample sample = zlib_sample(6, strategy);
    const std::string_view stream = sample.stream;
    const auto part = inflate_part(stream.substr(1000, stream.size() / 2), sample.raw.size());
    REQUIRE(part);
    // The part has no position: its longest run of known bytes identifies it.
    Extent run{part->unknown.empty() ? 0 : part->unknown.back().to, part->bytes.size()};
    for (size_t i = 1; i < part->unknown.size(); ++i) {
      const Extent between{part->unknown[i - 1].to, part->unknown[i].from};
      if (between.to - between.from > run.to - run.from) run = between;
    }
    REQUIRE(run.to - run.from > 100);
    const size_t at = sample.raw.find(part->bytes.substr(run.from, run.to - run.from));
    REQUIRE(at != std::string::npos);
    REQUIRE(at >= run.from);
    std::string expected = sample.raw.substr(at - run.from, part->bytes.size());
    for (const Extent& gap : part->unknown) {
      expected.replace(gap.from, gap.to - gap.from, gap.to - gap.from, '\0');
    }
    CHECK((part->bytes == expected));
  }
}

TEST_CASE("a chunk without two blocks is rejected, and output stops at the limit") {
  const Sample sample = zlib_sample(6, "Z_DEFAULT_STRATEGY");
  const std::string_view stream = sample.stream;
  CHECK_FALSE(inflate_part(stream.substr(stream.size() / 2, 200), sample.raw.size()));
  CHECK_FALSE(inflate_part(std::string(100000, '\0'), sample.raw.size()));
  const auto cut = inflate_part(stream.substr(1000), 150000);
  REQUIRE(cut);
  CHECK(cut->bytes.size() < 150000 + 65536);
}

TEST_CASE("a tail with a fixed block is read: its distance code has 32 words") {
  // zlib writes a short last block with fixed codes.
  const std::string program = R"(
import struct, sys, zlib
raw = b"".join(b"name%d;" % (i * 7919 % 100003) for i in range(60000)) + b"end" * 5
made = zlib.compressobj(9, zlib.DEFLATED, -15)
head = made.compress(raw[:-9]) + made.flush(zlib.Z_BLOCK)
stream = head + made.compress(raw[-9:]) + made.flush()
sys.stdout.buffer.write(struct.pack("<Q", len(raw)) + raw + stream)
)";
  const std::string out = python(program);
  const uint64_t length = load_le<uint64_t>(out, 0).value_or(0);
  const Sample sample{out.substr(8, length), out.substr(8 + length)};
  const auto tail = inflate_tail(std::string_view(sample.stream).substr(sample.stream.size() / 2),
                                 sample.raw.size());
  REQUIRE(tail);
  check_tail(sample, *tail);
  CHECK(tail->bytes.ends_with("endendendendend"));
}

TEST_CASE("streams without a dynamic block at their end are rejected") {
  for (const char* strategy : {"0 Z_DEFAULT_STRATEGY", "6 Z_FIXED"}) {
    const Sample sample = zlib_sample(strategy[0] - '0', std::string(strategy).substr(2));
    const auto tail = inflate_tail(
        std::string_view(sample.stream).substr(sample.stream.size() - 50000), sample.raw.size());
    REQUIRE_FALSE(tail);
    CHECK(tail.error().kind == ErrorKind::check);
  }
}

TEST_CASE("a tail that expands beyond the limit is rejected") {
  const Sample sample = zlib_sample(6, "Z_DEFAULT_STRATEGY");
  CHECK_FALSE(inflate_tail(sample.stream, 100000));
}

TEST_CASE("the beginning of a stream inflates to the output that its bytes determine") {
  for (const int level : {0, 1, 6, 9}) {
    for (const char* strategy : {"Z_DEFAULT_STRATEGY", "Z_FIXED"}) {
      const Sample sample = zlib_sample(level, strategy);
      const auto some = inflate_head(std::string_view(sample.stream).substr(0, 5000), 1 << 20);
      REQUIRE(some);
      CHECK(some->size() > 4000);
      CHECK((sample.raw.starts_with(*some)));
      const auto enough = inflate_head(sample.stream, 70000);
      REQUIRE(enough);
      CHECK(enough->size() >= 70000);
      CHECK(enough->size() < 200000);
      CHECK((sample.raw.starts_with(*enough)));
      const auto all = inflate_head(sample.stream, sample.raw.size());
      REQUIRE(all);
      CHECK((*all == sample.raw));
    }
  }
  const std::string ours = deflate("a text of ours");
  CHECK(inflate_head(ours, 100).value() == "a text of ours");
  CHECK(inflate_head("", 100).value().empty());
}

TEST_CASE("bytes that are not a deflate stream are rejected") {
  CHECK_FALSE(inflate_head(std::string(100, '\xff'), 100));
  CHECK_FALSE(inflate_tail(std::string(1000, '\xff'), 100000));
  CHECK_FALSE(inflate_tail("", 100));
}

}  // namespace
}  // namespace pinwheel::wheel
