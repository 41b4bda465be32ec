#include "wheel/member_source.h"

#include "base/digest.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::wheel {
namespace {

/// Counts the bytes that are read of an archive.
class CountingSource final : public ports::ByteSource {
 public:
  explicit CountingSource(std::string bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_.size(); }
  Result<std::string> read(uint64_t offset, uint64_t length) const override {
    count += length;
    return bytes_.read(offset, length);
  }

  mutable uint64_t count = 0;

 private:
  ports::MemorySource bytes_;
};

/// Bytes that compress to about half and never repeat.
std::string hex_noise(size_t digests) {
  std::string out;
  for (size_t i = 0; i < digests; ++i) out += sha256_hex(std::to_string(i));
  return out;
}

struct Opened {
  explicit Opened(const Contents& members) : source(make_zip(members)) {
    auto opened = ZipReader::open(source);
    REQUIRE(opened);
    zip = *std::move(opened);
    source.count = 0;
  }
  std::unique_ptr<MemberSource> member(const std::string& name) const {
    auto opened = MemberSource::open(zip, *zip.find(name));
    REQUIRE(opened);
    return *std::move(opened);
  }

  CountingSource source;
  ZipReader zip;
};

TEST_CASE("both ends of a member are read without the middle") {
  const std::string contents = hex_noise(120000);
  const Opened archive(Contents{{"lib.so", contents}});
  const auto member = archive.member("lib.so");
  REQUIRE(member->size() == contents.size());
  CHECK((member->read(0, 1000) == contents.substr(0, 1000)));
  CHECK((member->read(100000, 50000) == contents.substr(100000, 50000)));
  const size_t near_end = contents.size() - 200000;
  CHECK((member->read(near_end, 200000) == contents.substr(near_end)));
  CHECK((member->read(contents.size() - 1, 1) == contents.substr(contents.size() - 1)));
  CHECK(archive.source.count < archive.zip.find("lib.so")->compressed_size / 3);
  CHECK_FALSE(member->is_whole());
}

TEST_CASE("the middle of a member is read as well, in the end by reading all of it") {
  const std::string contents = hex_noise(60000);
  const Opened archive(Contents{{"lib.so", contents}});
  const auto member = archive.member("lib.so");
  for (size_t at = 0; at < contents.size() - 1000; at += contents.size() / 7) {
    CHECK((member->read(at, 1000) == contents.substr(at, 1000)));
  }
  REQUIRE(member->read_whole());
  CHECK(member->is_whole());
  CHECK((member->read(0, contents.size()) == contents));
}

/// Noise in lower case, then a part that names itself, then 33 MB in upper case.
struct Sought {
  Sought() {
    contents = hex_noise(30000);
    part = {contents.size(), contents.size() + kMark.size()};
    contents += kMark;
    uint32_t chance = 1;
    while (contents.size() < part.to + (uint64_t{33} << 20U)) {
      for (int i = 0; i < 6; ++i) {
        chance = chance * 1664525 + 1013904223;
        contents += static_cast<char>('A' + (chance >> 24U) % 26);
      }
      contents.append(200, 'Z');
    }
  }
  static ChunkPosition look(std::string_view chunk) {
    const size_t at = chunk.find(kMark);
    if (at != std::string_view::npos) return {ChunkPosition::Where::contains, at};
    const size_t last = chunk.find_last_not_of('\0');
    const bool great = last != std::string_view::npos && chunk[last] >= 'A' && chunk[last] <= 'Z';
    return {great ? ChunkPosition::Where::after : ChunkPosition::Where::before};
  }

  static constexpr std::string_view kMark = "<what is looked for, and what nothing else repeats>";
  std::string contents;
  Extent part;
};

TEST_CASE("a part far from both ends is found by bisection") {
  const Sought sought;
  const Opened archive(Contents{{"lib.so", sought.contents}});
  const auto member = archive.member("lib.so");
  int looks = 0;
  REQUIRE(member->seek(sought.part, [&](std::string_view chunk) {
    ++looks;
    return Sought::look(chunk);
  }));
  CHECK(looks > 1);
  const uint64_t read = archive.source.count;
  CHECK(read < archive.zip.find("lib.so")->compressed_size / 2);
  CHECK(member->read(sought.part.from, Sought::kMark.size()) == std::string(Sought::kMark));
  CHECK(member->read(sought.part.from + 1, 4) == "what");
  CHECK(archive.source.count == read);
  CHECK((member->read(sought.contents.size() - 7, 7) ==
         sought.contents.substr(sought.contents.size() - 7)));
}

TEST_CASE("a part that the search does not find is read without it") {
  const Sought sought;
  const Opened archive(Contents{{"lib.so", sought.contents}});
  const auto member = archive.member("lib.so");
  REQUIRE(member->seek(sought.part, [&](std::string_view chunk) {
    return ChunkPosition{ChunkPosition::Where::contains, chunk.size()};
  }));
  CHECK(member->read(sought.part.from, Sought::kMark.size()) == std::string(Sought::kMark));
}

TEST_CASE("stored and small members are read too") {
  const std::string noise = Sha256().finish();
  const Opened archive({{"stored", noise}, {"small", std::string(3000, 'a')}, {"empty", ""}});
  CHECK(archive.member("stored")->read(1, 5) == noise.substr(1, 5));
  CHECK(archive.member("small")->read(2000, 1000) == std::string(1000, 'a'));
  CHECK(archive.member("empty")->read(0, 0) == "");
}

TEST_CASE("reads past the end are rejected") {
  const Opened archive(Contents{{"small", "abc"}});
  for (const auto& [offset, length] :
       std::vector<std::pair<uint64_t, uint64_t>>{{0, 4}, {4, 0}, {UINT64_MAX, 2}}) {
    const auto read = archive.member("small")->read(offset, length);
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::check);
  }
}

}  // namespace
}  // namespace pinwheel::wheel
