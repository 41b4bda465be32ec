#include "binary/elf_image.h"

#include "base/limits.h"
#include "unit/catch.h"

using namespace pinwheel;
using binary::StringTable;

TEST_CASE("a string of a table ends at its NUL, or at the end of the table") {
  StringTable table(std::string("\0first\0last", 11));
  CHECK(table.at(0).empty());
  CHECK(table.at(1) == "first");
  CHECK(table.at(3) == "rst");
  CHECK(table.at(7) == "last");
  CHECK(table.at(11).empty());
  CHECK(table.at(1000).empty());
  CHECK(table.copy("first") == "first");
  CHECK(table.within());
}

TEST_CASE("names that overlap are copied up to a limit") {
  const uint64_t length = limits::kElfNames.most / 10;
  StringTable table(std::string(length, 'x'));
  for (int i = 0; i < 10; ++i) CHECK(table.at(0).size() == length);
  CHECK(table.within());
  CHECK(table.at(length - 1).empty());
  CHECK(table.at(0).empty());
  CHECK(table.copy("x").empty());
  const Done within = table.within();
  REQUIRE_FALSE(within);
  CHECK(within.error().kind == ErrorKind::check);
  CHECK(within.error().message ==
        "what the ELF file names is larger than the limit of 120 MB for the names of an ELF file");
}
