#include "exports/table_bytes.h"

#include "unit/catch.h"
#include "unit/exports/made_snapshots.h"

using namespace pinwheel;
using namespace pinwheel::exports;

namespace {

Table made_table() {
  Table table;
  for (int release = 0; release < 6; ++release) {
    for (const char* arch : {"aarch64", "x86_64"}) {
      std::vector<std::string> names;
      for (int i = release * 20; i < release * 20 + 200; ++i)
        names.push_back("f" + std::to_string(i));
      Snapshot snapshot{{"2." + std::to_string(release) + ".0", arch},
                        {made_library("libc10.so", names)}};
      snapshot.libraries.push_back(made_library("libtorch_python.so", {"p", "q"}, "cp311"));
      snapshot.libraries[1].needed = {"libc10.so", "libc.so.6"};
      table = merge(table, snapshot);
    }
  }
  return table;
}

}  // namespace

TEST_CASE("a table is read back as it was written") {
  const Table table = made_table();
  const std::string bytes = serialize(table);
  const auto read = parse_table(bytes);
  REQUIRE(read);
  CHECK(*read == table);
  CHECK(serialize(*read) == bytes);
  CHECK(parse_table(serialize(Table())).value() == Table());
}

TEST_CASE("a table truncated at any byte, or longer than declared, is rejected") {
  const std::string bytes = serialize(made_table());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto read = parse_table(bytes.substr(0, length));
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == ErrorKind::check);
  }
  CHECK_FALSE(parse_table(bytes + '\0'));
}

TEST_CASE("a changed byte never parses as another table") {
  const Table table = made_table();
  const std::string whole = serialize(table);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const auto read = parse_table(bytes);
    // zstd has bits that say how, not what.
    if (read) CHECK(*read == table);
  }
}

TEST_CASE("a table of a newer format has an error of its own") {
  std::string bytes = serialize(made_table());
  bytes[8] = 2;
  const auto read = parse_table(bytes);
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::config);
  CHECK(read.error().hint == "update pinwheel");
}

TEST_CASE("the sizes in a header are checked before use") {
  std::string bytes = serialize(Table());
  bytes.replace(16, 8, std::string(8, '\x7f'));  // the size of the body
  const auto read = parse_table(bytes);
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "the table of exports is corrupt: its declared size is too large");
}
