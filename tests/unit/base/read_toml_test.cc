#include "base/read_toml.h"

#include <string>

#include "unit/catch.h"

using namespace pinwheel;

namespace {

std::string repeated(const std::string& part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

}  // namespace

TEST_CASE("the levels of a TOML text are those of tables, lists and parts of keys") {
  CHECK(toml_levels("") == 0);
  CHECK(toml_levels("a = 1\nb = \"x.y.z\" # c.d.e\n") == 0);
  CHECK(toml_levels("[a.b.c]\nd = 1\n") == 3);
  CHECK(toml_levels("[[a.b]]\nc.d = 1\n[e]\n") == 3);
  CHECK(toml_levels("a.b = {c.d = [1.5, [2.5]]}\n") == 6);
  CHECK(toml_levels("a = '''\n[x.y.z.w]\n'''\n'b'.\"c\" = 1\n") == 1);
  CHECK(toml_levels("a = [\n  [1],\n  [2],\n]\n[b]\n") == 2);
}

TEST_CASE("a TOML text with too many levels is rejected before it is parsed") {
  const std::string parts = repeated("a.", 400'000) + "a";
  for (const std::string& text :
       {parts + " = 1\n", "[" + parts + "]\n", "[[" + parts + "]]\n", "a = {" + parts + " = 1}\n",
        "a = " + repeated("{a.b.c = ", 60'000), "a = " + repeated("[", 400'000),
        repeated("'a'.", 400'000) + "a = 1\n", "[ " + repeated("\"a\" . ", 200'000) + "a ]\n"}) {
    const auto read = read_toml(text);
    REQUIRE(!read);
    CHECK(read.error().what == "has more than 100 levels");
  }
  CHECK(read_toml(repeated("# long\n", 2'000'000)).error().what == "has more than 8.0 MB");
  CHECK(read_toml("[" + repeated("a.", 98) + "a]\nb = 1\n"));
}

TEST_CASE("a TOML text that is broken is rejected with its line") {
  CHECK(read_toml("a = \"\xff\"").error().what == "is not UTF-8");
  CHECK(read_toml("a = 1\nb = \n").error().line == 2);
}
