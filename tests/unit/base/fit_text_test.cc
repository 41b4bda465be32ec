#include "base/fit_text.h"

#include "base/text.h"
#include "unit/catch.h"

using namespace pinwheel;

namespace {

using FittedLines = std::vector<std::string>;

}  // namespace

TEST_CASE("words are put into lines, and a long word is broken behind a mark") {
  CHECK(wrap_words("one two three", 8) == FittedLines{"one two", "three"});
  CHECK(wrap_words("one two three", 13) == FittedLines{"one two three"});
  CHECK(wrap_words("", 8) == FittedLines{""});
  CHECK(wrap_words("cp312-cu130-torch2.13-x86_64", 12) ==
        FittedLines{"cp312-cu130-", "torch2.13-", "x86_64"});
  CHECK(wrap_words("--format {table|ids|json}", 14) ==
        FittedLines{"--format", "{table|ids|", "json}"});
  CHECK(wrap_words("abcdefgh", 3) == FittedLines{"abc", "def", "gh"});
  CHECK(wrap_words("é-ü", 3) == FittedLines{"é-ü"});
  CHECK(wrap_words("abc", 0) == FittedLines{"a", "b", "c"});
}

TEST_CASE("a line that is too long goes on below its last column") {
  CHECK(fit_lines("  -k, --keep-going    after a failure, continue with steps\nshort\n", 40) ==
        "  -k, --keep-going    after a failure,\n"
        "                      continue with\n"
        "                      steps\n"
        "short\n");
  CHECK(fit_lines("ok  python       3.11.2, 3.12.1\n", 25) ==
        "ok  python       3.11.2,\n"
        "                 3.12.1\n");
  CHECK(fit_lines("no columns in this line", 12) == "no columns\n  in this\n  line");
  CHECK(fit_lines("            far in already", 20) == "            far in\n            already");
  CHECK(fit_lines("    deep inside", 10) == "    deep\n      insi\n      de");
  CHECK(fit_lines("as it is  however long", 0) == "as it is  however long");
}

TEST_CASE("no line is longer than the width") {
  const std::string text =
      "  --base-image [[COMPUTE][@ARCH]=|NAME=]IMAGE (Env:PINWHEEL_BASE_IMAGE)\n"
      "                                  the base image to use instead of the matrix's\n"
      "a-name-that-is-longer-than-any-line  with a column far behind, and another  column\n";
  for (size_t width = 10; width < 90; ++width) {
    INFO(width);
    for (const std::string& line : split(fit_lines(text, width), '\n')) {
      CHECK(columns_of(line) <= width);
    }
  }
}
