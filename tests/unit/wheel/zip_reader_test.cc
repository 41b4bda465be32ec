#include "wheel/zip_reader.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

TEST_CASE("the reader returns the members that the zip writer wrote") {
  const std::string big(100000, 'a');
  const ports::MemorySource source(make_zip({{"a/b.txt", "hello"}, {"empty", ""}, {"big", big}}));
  const Result<ZipReader> zip = ZipReader::open(source);
  REQUIRE(zip);
  REQUIRE(zip->members().size() == 3);
  CHECK(zip->members()[0].name == "a/b.txt");
  CHECK(zip->members()[0].mode == 0100644);
  CHECK(*zip->read(zip->members()[0]) == "hello");
  CHECK(zip->read(*zip->find("empty"))->empty());
  CHECK(*zip->read(*zip->find("big")) == big);
  CHECK(zip->find("big")->compressed_size < 1000);
  CHECK(zip->find("none") == nullptr);
}

TEST_CASE("an archive truncated at any byte is an error") {
  const std::string whole = make_zip({{"a", "hello hello hello hello"}, {"b", "other"}});
  for (size_t length = 0; length < whole.size(); ++length) {
    const ports::MemorySource source(whole.substr(0, length));
    const Result<ZipReader> zip = ZipReader::open(source);
    INFO(length);
    REQUIRE_FALSE(zip);
    CHECK(zip.error().kind == ErrorKind::check);
  }
}

TEST_CASE("a changed byte is never read as the old contents under a wrong checksum") {
  const std::string whole = make_zip({{"a", "hello hello hello hello"}});
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    const ports::MemorySource source(bytes);
    const Result<ZipReader> zip = ZipReader::open(source);
    if (!zip) continue;
    for (const ZipMember& member : zip->members()) {
      const Result<std::string> contents = zip->read(member);
      INFO(at);
      CHECK((!contents || *contents == "hello hello hello hello"));
    }
  }
}

TEST_CASE("names that leave the directory are rejected") {
  for (const std::string name :
       {"../x", "/x", "a/../x", "a//b", "./a", "a\\b", "C:/x", "a\nb", "\xff"}) {
    INFO(name);
    CHECK_FALSE(is_safe_member_name(name));
    const ports::MemorySource source(make_zip({{name, "x"}}));
    CHECK_FALSE(ZipReader::open(source));
  }
  CHECK(is_safe_member_name("a/b/"));
  CHECK(is_safe_member_name("caf\xc3\xa9.py"));
}

TEST_CASE("members that overlap are refused before anything is inflated") {
  std::string bytes = make_zip({{"a.py", "x"}, {"b.py", "y"}, {"c.py", "z"}});
  const size_t offset = bytes.rfind("c.py") - 4;  // the offset precedes the name
  const std::string second = bytes.substr(bytes.rfind("b.py") - 4, 4);
  bytes.replace(offset, 4, second);
  const ports::MemorySource source(bytes);
  const Result<ZipReader> zip = ZipReader::open(source);
  REQUIRE_FALSE(zip);
  CHECK(zip.error().message ==
        "the archive is not a valid zip file: members `b.py` and `c.py` overlap");
}

TEST_CASE("an archive of too many members is refused before its directory is read") {
  const uint64_t count = limits::kMembers.most + 1;
  std::string bytes(count * zip::kCentralHeaderSize, '\0');
  const uint64_t end64 = bytes.size();
  append_le<uint32_t>(bytes, zip::kEnd64);
  append_le<uint64_t>(bytes, zip::kEnd64Size - 12);
  for (int i = 0; i < 3; ++i) append_le<uint32_t>(bytes, 0);  // versions and disks
  for (const uint64_t field : {count, count, end64, uint64_t{0}}) append_le<uint64_t>(bytes, field);
  append_le<uint32_t>(bytes, zip::kEnd64Locator);
  append_le<uint32_t>(bytes, 0);
  append_le<uint64_t>(bytes, end64);
  append_le<uint32_t>(bytes, 1);
  append_le<uint32_t>(bytes, zip::kEnd);
  bytes += std::string(4, '\0') + std::string(12, '\xff') + std::string(2, '\0');
  const ports::MemorySource source(bytes);
  const Result<ZipReader> zip = ZipReader::open(source);
  REQUIRE_FALSE(zip);
  CHECK(zip.error().message ==
        "the archive has more than 200000 members, the limit for an archive");
}

}  // namespace
}  // namespace pinwheel::wheel
