#include "exports/listing.h"

#include "unit/catch.h"
#include "unit/exports/made_snapshots.h"

using namespace pinwheel::exports;
using Names = std::vector<std::string>;

namespace {

Snapshot release() {
  return {{"2.9.0", "x86_64"},
          {made_library("libc10.so", {"a", "b", "c"}),
           made_library("libtorch_python.so", {"p"}, "cp310t"),
           made_library("libtorch_python.so", {"p"}, "cp311"),
           made_library("libtorch_python.so", {"p"}, "cp310"),
           made_library("libtorch_python.so", {"p", "q"}, "cp39")}};
}

Names texts(const std::vector<Difference>& differences) {
  Names out;
  for (const Difference& each : differences) out.push_back(each.library + " " + each.what);
  return out;
}

}  // namespace

TEST_CASE("a summary counts the libraries of one Python, and sorts the Pythons by number") {
  const std::vector<BuildSummary> all = summaries(Table::of(release()));
  REQUIRE(all.size() == 1);
  CHECK(all[0].build == Build{"2.9.0", "x86_64"});
  CHECK(all[0].pythons == Names{"cp39", "cp310", "cp310t", "cp311"});
  CHECK(all[0].libraries == 2);
  CHECK(all[0].symbols == 4);
}

TEST_CASE("a fresh read is compared library by library") {
  const Table table = Table::of(release());
  CHECK(differences(table, table).empty());

  Snapshot other = release();
  other.libraries[0] = made_library("libc10.so", {"a", "b", "d", "e"});
  other.libraries[3].needed = {"libc10.so"};
  other.libraries.push_back(made_library("libnew.so", {"n"}));
  CHECK(texts(differences(table, Table::of(other))) ==
        Names{"2.9.0 x86_64 libc10.so exports 2 symbols that the table lacks",
              "2.9.0 x86_64 libc10.so lacks 1 symbol that the table has",
              "2.9.0 x86_64 libnew.so is not in the table",
              "2.9.0 x86_64 libtorch_python.so cp310 needs `libc10.so`, not the libraries in the "
              "table"});
}

TEST_CASE("libraries missing from a fresh read are not compared") {
  Snapshot part = release();
  part.libraries.resize(1);
  CHECK(differences(Table::of(release()), Table::of(part)).empty());
}
