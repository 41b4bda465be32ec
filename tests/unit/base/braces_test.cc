#include "base/braces.h"

#include "base/text.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

using BraceTexts = std::vector<std::string>;

struct Expansion {
  std::string pattern;
  BraceTexts texts;
};

}  // namespace

// The texts are those of bracex, the library of cibuildwheel.
TEST_CASE("braces stand for the texts that cibuildwheel finds in them") {
  const std::vector<Expansion> expansions = {
      {"cp312-cpu", {"cp312-cpu"}},
      {"{a,b}", {"a", "b"}},
      {"{a,b{c,d}}", {"a", "bc", "bd"}},
      {"{{a,b},c}", {"a", "b", "c"}},
      {"cp31{0,{1,2}t,3}-{cpu,cu1{2,3}0}",
       {"cp310-cpu", "cp310-cu120", "cp310-cu130", "cp311t-cpu", "cp311t-cu120", "cp311t-cu130",
        "cp312t-cpu", "cp312t-cu120", "cp312t-cu130", "cp313-cpu", "cp313-cu120", "cp313-cu130"}},
      {"x{a,b}y{c,d}z", {"xaycz", "xaydz", "xbycz", "xbydz"}},
      {"[{a,b}]", {"[a]", "[b]"}},
      {"{ a,b }", {" a", "b "}},
      {"x{,a}", {"x", "xa"}},
  };
  for (const Expansion& each : expansions) {
    INFO(each.pattern);
    CHECK(expand_braces(each.pattern) == each.texts);
  }
}

TEST_CASE("braces without alternatives or without a partner are text") {
  for (const char* text :
       {"{x}", "a{x}b", "{}", "{{}}", "{a,b", "a,b}", "{{a}", "a{,b,c", "{1..}", "{..}", "{1..a}",
        "{a..b..c}", "{1.5..2}", "{a...c}", "}{", "{aa..bb}"}) {
    INFO(text);
    CHECK(expand_braces(text) == BraceTexts{text});
    CHECK_FALSE(has_alternatives(text));
  }
  CHECK(expand_braces("{a{b,c}}") == BraceTexts{"{ab}", "{ac}"});
  CHECK(expand_braces("{a,b}}") == BraceTexts{"a}", "b}"});
  CHECK(expand_braces("{a},b}") == BraceTexts{"a}", "b"});
  CHECK(expand_braces("{},a}") == BraceTexts{"{},a}"});
  CHECK(expand_braces("x{},a}") == BraceTexts{"x}", "xa"});
  CHECK(expand_braces("{a}{b,c}") == BraceTexts{"{a}b", "{a}c"});
  CHECK(expand_braces("{{a},{b}}") == BraceTexts{"{a}", "{b}"});
  CHECK(expand_braces("{a,b{c,d}") == BraceTexts{"{a,bc", "{a,bd"});
  CHECK(expand_braces("{{{a,b}") == BraceTexts{"{{a", "{{b"});
}

TEST_CASE("ranges count numbers and letters, with a step and with zeros") {
  CHECK(expand_braces("cp3{8..11}-*") == BraceTexts{"cp38-*", "cp39-*", "cp310-*", "cp311-*"});
  CHECK(expand_braces("{3..1}") == BraceTexts{"3", "2", "1"});
  CHECK(expand_braces("{a..e..2}") == BraceTexts{"a", "c", "e"});
  CHECK(expand_braces("{01..10..3}") == BraceTexts{"01", "04", "07", "10"});
  CHECK(expand_braces("{-1..1}") == BraceTexts{"-1", "0", "1"});
  CHECK(expand_braces("{1..3..0}") == BraceTexts{"1", "2", "3"});
  CHECK(expand_braces("{a,{1..2}}") == BraceTexts{"a", "1", "2"});
}

TEST_CASE("a pattern beyond the limits is text, and costs no more than that") {
  std::string many;
  for (int i = 0; i < 40; ++i) many += "{a,b}";
  CHECK(expand_braces(many) == BraceTexts{many});
  CHECK(expand_braces("{1..1000000000}") == BraceTexts{"{1..1000000000}"});
  CHECK(expand_braces("{-2147483648..2147483647}").size() == 1);
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "{a,";
  deep += std::string(10'000, '}');
  CHECK(expand_braces(deep) == BraceTexts{deep});
  const std::string open(20'000, '{');
  CHECK(expand_braces(open) == BraceTexts{open});
}

TEST_CASE("globs match with alternatives of alternatives, and with braces as text") {
  CHECK(glob_match("{cpu,{cuda,rocm}/*}", "rocm/7.1"));
  CHECK(glob_match("{cpu,{cuda,rocm}/*}", "cpu"));
  CHECK_FALSE(glob_match("{cpu,{cuda,rocm}/*}", "xpu"));
  CHECK(glob_match("{x}", "{x}"));
  CHECK_FALSE(glob_match("{x}", "x"));
  CHECK(glob_match("*-{x}", "a-{x}"));
  CHECK(is_glob("{a,b}"));
  CHECK(is_glob("a*"));
  CHECK_FALSE(is_glob("{x}"));
}
