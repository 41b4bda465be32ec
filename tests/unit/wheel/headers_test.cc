#include "wheel/headers.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

HeaderBlock parsed(const std::string& text) {
  const auto block = parse_headers(text, "METADATA");
  REQUIRE(block);
  return *block;
}

TEST_CASE("headers keep their order, spelling and repetition") {
  const HeaderBlock block = parsed("name: x\nTag: a\nOther:\ntag:  b \nUrl: a:b\n");
  CHECK(block.headers ==
        std::vector<Header>{
            {"name", "x"}, {"Tag", "a"}, {"Other", ""}, {"tag", "b "}, {"Url", "a:b"}});
  CHECK_FALSE(block.body);
  CHECK(block.get("NAME") == "x");
  CHECK(block.get("missing") == std::nullopt);
  CHECK(block.all("TAG") == std::vector<std::string>{"a", "b "});
}

TEST_CASE("continuation lines belong to the header before them") {
  const HeaderBlock block = parsed("License: first\n        second\n\tthird\nName: x\n");
  CHECK(block.get("License") == "first\n        second\n\tthird");
  CHECK(block.get("Name") == "x");
}

TEST_CASE("everything after the first empty line is the body") {
  CHECK(parsed("A: 1\n\nB: 2\n\nC\n").body == "B: 2\n\nC\n");
  CHECK(parsed("A: 1\n\n").body == "");
  CHECK(parsed("\nB").headers.empty());
}

TEST_CASE("line endings of other systems are read as newlines") {
  CHECK(parsed("A: 1\r\nB: 2\r\n\r\nx\r\ny") == parsed("A: 1\nB: 2\n\nx\ny"));
}

TEST_CASE("a line that is not a header is an error that names it") {
  for (const std::string text :
       {"A: 1\nplain\n", "A: 1\n: x\n", "A: 1\nB C: x\n", "A: 1\n\xc3: x\n"}) {
    const auto block = parse_headers(text, "WHEEL");
    REQUIRE_FALSE(block);
    CHECK(block.error().kind == ErrorKind::check);
    CHECK(block.error().message.find("`WHEEL` line 2") == 0);
  }
  CHECK_FALSE(parse_headers(" continued\n", "WHEEL"));
}

TEST_CASE("parsed headers are written and read back to an equal value") {
  for (const std::string text : {"", "A: 1\n", "A:\n b\n", "A: 1\n\nbody", "A: \n \n\n", "\n",
                                 "A: x\r\r\n", "A: x\r", "A: 1\n\n\r\r\n"}) {
    INFO(text);
    const HeaderBlock block = parsed(text);
    CHECK(parsed(to_string(block)) == block);
  }
}

TEST_CASE("setting a header replaces the first and drops the others") {
  HeaderBlock block = parsed("Tag: a\nName: x\ntag: b\n");
  block.set("TAG", "c");
  CHECK(to_string(block) == "Tag: c\nName: x\n");
  block.set("New", "n");
  block.add("Tag", "d");
  CHECK(to_string(block) == "Tag: c\nName: x\nNew: n\nTag: d\n");
  block.remove("tag");
  CHECK(to_string(block) == "Name: x\nNew: n\n");
}

}  // namespace
}  // namespace pinwheel::wheel
