#include "exports/table.h"

#include "unit/catch.h"
#include "unit/exports/made_snapshots.h"

using namespace pinwheel::exports;
using Names = std::vector<std::string>;

namespace {

Table two_releases() {
  const Snapshot older{{"2.9.0", "x86_64"},
                       {made_library("libc10.so", {"stays", "goes"}),
                        made_library("libtorch_python.so", {"module"}, "cp311")}};
  const Snapshot newer{
      {"2.10.0", "x86_64"},
      {made_library("libc10.so", {"stays", "comes"}), made_library("libtorch_cpu.so", {"stays"})}};
  return merge(Table::of(newer), older);
}

}  // namespace

TEST_CASE("symbol hashes are the documented function") {
  CHECK(symbol_hash("") == 0xf52a15e9a9b5e89bU);
  CHECK(symbol_hash("_ZN3c105ErrorD1Ev") != symbol_hash("_ZN3c105ErrorD2Ev"));
}

TEST_CASE("builds are sorted by version") {
  Table table = two_releases();
  table = merge(table, Snapshot{{"2.10.0", "aarch64"}});
  table = merge(table, Snapshot{{"2.10.0+cpu", "x86_64"}});
  CHECK(table.builds() == std::vector<Build>{{"2.9.0", "x86_64"},
                                             {"2.10.0", "aarch64"},
                                             {"2.10.0", "x86_64"},
                                             {"2.10.0+cpu", "x86_64"}});
}

TEST_CASE("a symbol names every library that exports it") {
  const Table table = two_releases();
  CHECK(exporters(table, "goes") == Names{"2.9.0/x86_64/libc10.so/"});
  CHECK(exporters(table, "comes") == Names{"2.10.0/x86_64/libc10.so/"});
  CHECK(exporters(table, "stays") == Names{"2.9.0/x86_64/libc10.so/", "2.10.0/x86_64/libc10.so/",
                                           "2.10.0/x86_64/libtorch_cpu.so/"});
  CHECK(exporters(table, "module") == Names{"2.9.0/x86_64/libtorch_python.so/cp311"});
  CHECK(table.exporters("unknown").empty());
  CHECK(Table().exporters("unknown").empty());
}

TEST_CASE("records have the needed libraries and the number of exports") {
  Snapshot snapshot{{"2.9.0", "x86_64"}, {made_library("libtorch.so", {"a", "b", "a"})}};
  snapshot.libraries[0].needed = {"libtorch_cpu.so", "libc.so.6"};
  snapshot.libraries.push_back(made_library("libtorch.so", {"c"}));
  const Table table = Table::of(snapshot);
  REQUIRE(table.libraries().size() == 1);
  CHECK(table.libraries()[0].needed == Names{"libtorch_cpu.so", "libc.so.6"});
  CHECK(table.libraries()[0].symbols == 3);
}

TEST_CASE("a library that is added again replaces its older entry and nothing else") {
  const Snapshot again{{"2.9.0", "x86_64"}, {made_library("libc10.so", {"fresh"})}};
  const Table table = merge(two_releases(), again);
  CHECK(exporters(table, "goes").empty());
  CHECK(exporters(table, "fresh") == Names{"2.9.0/x86_64/libc10.so/"});
  CHECK(exporters(table, "stays") ==
        Names{"2.10.0/x86_64/libc10.so/", "2.10.0/x86_64/libtorch_cpu.so/"});
  CHECK(exporters(table, "module") == Names{"2.9.0/x86_64/libtorch_python.so/cp311"});
  CHECK(merge(table, again) == table);
}

TEST_CASE("tables do not depend on the order in which builds were added") {
  const Snapshot one{{"2.9.0", "x86_64"}, {made_library("libc10.so", {"a", "b"})}};
  const Snapshot two{{"2.10.0", "x86_64"}, {made_library("libc10.so", {"b", "c"})}};
  const Snapshot three{{"2.11.0", "aarch64"}, {made_library("libc10.so", {"c", "d", "e"})}};
  CHECK(merge(merge(Table::of(one), two), three) == merge(merge(Table::of(three), one), two));
  CHECK(merge(Table(), one) == Table::of(one));
}
