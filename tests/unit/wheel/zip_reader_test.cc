#include "wheel/zip_reader.h"

#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::wheel {
namespace {

TEST_CASE("the reader returns what the zip writer wrote") {
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

}  // namespace
}  // namespace pinwheel::wheel
