#include "wheel/member_stream.h"

#include <random>

#include "base/bytes.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"
#include "wheel/passed_member.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

/// Text that deflate compresses with codes of every kind: runs, distant repeats, noise.
std::string sample(size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string out;
  while (out.size() < size) {
    const size_t length = 1 + random() % 3000;
    switch (random() % 4) {
      case 0:
        out.append(length, static_cast<char>(random()));
        break;
      case 1:
        for (size_t i = 0; i < length; ++i) out += static_cast<char>(random());
        break;
      default:
        const size_t back = 1 + random() % 30000;
        if (back < out.size()) out += out.substr(out.size() - back, length);
        break;
    }
  }
  out.resize(size);
  return out;
}

struct OpenedStream {
  explicit OpenedStream(std::string bytes)
      : source(std::move(bytes)), zip(*ZipReader::open(source)) {}
  ports::MemorySource source;
  ZipReader zip;

  const ZipMember& member() const { return zip.members().front(); }
};

Result<std::string> streamed(const ZipReader& zip, const ZipMember& member) {
  TRY(MemberStream stream, MemberStream::open(zip, member));
  std::string out;
  while (true) {
    TRY(const std::string_view piece, stream.next());
    if (piece.empty()) return out;
    out += piece;
  }
}

/// A zip archive with one stored member.
std::string stored_zip(const std::string& contents) {
  std::string bytes = make_zip({{"a", contents}});
  const OpenedStream opened(bytes);
  REQUIRE(opened.member().method == zip::kStored);
  return bytes;
}

TEST_CASE("members of every size stream to the same contents as a whole read") {
  constexpr size_t kPiece = MemberStream::kPiece;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, kPiece - 1, kPiece, kPiece + 1,
                            3 * kPiece, 9 * kPiece + 12345}) {
    INFO(size);
    const std::string contents = sample(size);
    const OpenedStream opened(make_zip({{"a", contents}}));
    const Result<std::string> out = streamed(opened.zip, opened.member());
    REQUIRE(out);
    CHECK(*out == contents);
  }
}

TEST_CASE("incompressible and stored members stream too") {
  std::mt19937 random(7);
  std::string noise;
  for (size_t i = 0; i < 70000; ++i) noise += static_cast<char>(random());
  const OpenedStream opened(make_zip({{"a", noise}}));
  CHECK(*streamed(opened.zip, opened.member()) == noise);
  const OpenedStream tiny(stored_zip(""));
  CHECK(streamed(tiny.zip, tiny.member())->empty());
}

TEST_CASE("compressed bytes are counted up to the end") {
  const OpenedStream opened(make_zip({{"a", sample(5 << 20U)}}));
  MemberStream stream = *MemberStream::open(opened.zip, opened.member());
  uint64_t last = 0;
  while (!stream.next()->empty()) {
    CHECK(stream.consumed() > last);
    last = stream.consumed();
  }
  CHECK(stream.offset() == opened.member().size);
  CHECK(last <= opened.member().compressed_size);
}

TEST_CASE("corruption anywhere is an error, never different contents") {
  const std::string contents = sample(40000);
  const std::string intact = make_zip({{"a", contents}});
  const size_t start = 31;
  const size_t length = OpenedStream(intact).member().compressed_size;
  for (size_t at = start; at < start + length; at += 13) {
    std::string bytes = intact;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const OpenedStream opened(bytes);
    const Result<std::string> out = streamed(opened.zip, opened.member());
    if (out) CHECK(*out == contents);
    if (!out) CHECK(out.error().kind == ErrorKind::check);
  }
}

TEST_CASE("wrong sizes and checksums are rejected") {
  const OpenedStream opened(make_zip({{"a", sample(3 << 20U)}}));
  for (const int64_t change : {-1, 1, 100000, -100000, -(3 << 20)}) {
    INFO(change);
    ZipMember member = opened.member();
    member.size = static_cast<uint64_t>(static_cast<int64_t>(member.size) + change);
    CHECK_FALSE(streamed(opened.zip, member));
    member = opened.member();
    if (static_cast<int64_t>(member.compressed_size) + change < 0 || change > 1) continue;
    member.compressed_size =
        static_cast<uint64_t>(static_cast<int64_t>(member.compressed_size) + change);
    CHECK_FALSE(streamed(opened.zip, member));
  }
  ZipMember member = opened.member();
  member.crc ^= 1U;
  const Result<std::string> out = streamed(opened.zip, member);
  REQUIRE_FALSE(out);
  CHECK(out.error().message == "member `a` is corrupt: its CRC-32 does not match");
  member.flags |= zip::kFlagEncrypted;
  CHECK_FALSE(MemberStream::open(opened.zip, member));
}

TEST_CASE("a streamed member is read at any offset") {
  const std::string contents = sample((21 << 20U) + 4321, 3);
  const OpenedStream opened(make_zip({{"a", contents}}));
  MemberStream stream = *MemberStream::open(opened.zip, opened.member());
  const std::unique_ptr<PassedMember> source = *PassedMember::open(opened.zip, opened.member());
  while (true) {
    source->pass(stream);
    if (stream.next()->empty()) break;
  }
  CHECK(source->size() == contents.size());
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    const uint64_t offset = random() % contents.size();
    const uint64_t length =
        std::min<uint64_t>(random() % (i % 10 == 0 ? 9 << 20U : 5000), contents.size() - offset);
    const Result<std::string> part = source->read(offset, length);
    REQUIRE(part);
    CHECK(*part == contents.substr(offset, length));
  }
  CHECK(source->read(contents.size(), 0)->empty());
  CHECK_FALSE(source->read(contents.size(), 1));
  CHECK_FALSE(source->read(UINT64_MAX, 2));
}

TEST_CASE("data that was not streamed yet cannot be read") {
  const OpenedStream opened(make_zip({{"a", sample(9 << 20U)}}));
  MemberStream stream = *MemberStream::open(opened.zip, opened.member());
  const std::unique_ptr<PassedMember> source = *PassedMember::open(opened.zip, opened.member());
  source->pass(stream);
  CHECK(source->read(0, 100));
  const Result<std::string> far = source->read(8 << 20U, 100);
  REQUIRE_FALSE(far);
  CHECK(far.error().kind == ErrorKind::internal);
}

}  // namespace
}  // namespace pinwheel::wheel
