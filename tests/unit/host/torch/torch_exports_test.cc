#include "host/torch/torch_exports.h"

#include "exports/shipped.h"
#include "exports/table_bytes.h"
#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

exports::Snapshot made(const std::string& version) {
  exports::Library library{"libc10.so"};
  library.symbols = {exports::symbol_hash("made_up")};
  return {{version, "x86_64"}, {library}};
}

}  // namespace

TEST_CASE("the user's table is in the data directory") {
  CHECK(host::user_exports_file({{"HOME", "/h"}}) ==
        std::filesystem::path("/h/.local/share/pinwheel/torch-exports.pwx"));
  CHECK(host::user_exports_file({{"HOME", "/h"}, {"XDG_DATA_HOME", "/d"}}) ==
        std::filesystem::path("/d/pinwheel/torch-exports.pwx"));
  CHECK(host::user_exports_file({}).error().kind == ErrorKind::environment);
}

TEST_CASE("the user's builds override the shipped table") {
  const Scratch scratch;
  host::LocalFiles files;
  const std::map<std::string, std::string> variables = {{"XDG_DATA_HOME", scratch.path().string()}};
  const auto shipped = host::known_exports(variables, files);
  REQUIRE(shipped);
  CHECK(shipped->added.empty());
  CHECK(shipped->table == exports::parse_table(exports::shipped_table()).value());

  const auto file = host::user_exports_file(variables);
  REQUIRE(files.write(*file, exports::serialize(exports::Table::of(made("999.0")))));
  const auto known = host::known_exports(variables, files);
  REQUIRE(known);
  CHECK(known->added == std::vector<exports::Build>{{"999.0", "x86_64"}});
  CHECK(known->table.exporters("made_up").size() == 1);
  CHECK(known->table.libraries().size() == shipped->table.libraries().size() + 1);
}

TEST_CASE("the error for a corrupt user table names it") {
  const Scratch scratch;
  host::LocalFiles files;
  const std::map<std::string, std::string> variables = {{"XDG_DATA_HOME", scratch.path().string()}};
  const auto file = host::user_exports_file(variables);
  REQUIRE(files.write(*file, "nothing"));
  const auto known = host::known_exports(variables, files);
  REQUIRE_FALSE(known);
  CHECK(known.error().kind == ErrorKind::check);
  CHECK(known.error().message == "`" + file->string() + "` cannot be used");
}
