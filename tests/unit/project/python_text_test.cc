#include "project/python_text.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("comments end where strings do not contain them") {
  CHECK(without_python_comments("a = '#1' # two\nb = \"\"\"#\n\"\"\" # c") ==
        "a = '#1' \nb = \"\"\"#\n\"\"\" ");
  CHECK(without_python_comments("'it\\'s # in'#out") == "'it\\'s # in'");
}

TEST_CASE("keyword arguments of a call, whatever is nested in them") {
  const auto call =
      keyword_arguments("def f(a=1): pass\nf(x, a=[1, (2, 3)], b='c, d', e == 1)", "f");
  CHECK(call == std::map<std::string, std::string>{{"a", "[1, (2, 3)]"}, {"b", "'c, d'"}});
  CHECK(keyword_arguments("self(a=1)", "f").empty());
  CHECK(keyword_arguments("f(a=(1", "f").size() == 1);
}

TEST_CASE("assignments stand at the beginning of a line") {
  CHECK(assigned_to("x == 1\n  x = 2\nx = [1,\n 2]\n", "x") == "[1,\n 2]");
  CHECK(assigned_to("xx = 1\n", "x").empty());
}

TEST_CASE("string literals") {
  CHECK(string_literal(" 'a' ") == "a");
  CHECK(string_literal("r\"b\"") == "b");
  CHECK(string_literal("\"\"\"c\"\"\"") == "c");
  CHECK_FALSE(string_literal("f'{a}'"));
  CHECK_FALSE(string_literal("'a' + b"));
  CHECK_FALSE(string_literal(""));
  CHECK(string_literals("['a', \"b\", c]") == std::vector<std::string>{"a", "b"});
}

TEST_CASE("modules are named once, by their first part") {
  CHECK(imported_modules(
            "import os, sys as s\nfrom os.path import join\n from torch.utils import x\n") ==
        std::vector<std::string>{"os", "sys", "torch"});
  CHECK(names("BuildExtension", "Extension") == false);
  CHECK(names("a.Extension(", "Extension"));
}

}  // namespace
}  // namespace pinwheel::project
