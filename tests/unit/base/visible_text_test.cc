#include "base/visible_text.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("printable text stays as it is") {
  for (const std::string text :
       {"", "a b.whl", "naïve \xe2\x80\x9cquotes\xe2\x80\x9d \xf0\x9f\x98\x80", R"(a\n)"}) {
    CHECK(visible(text) == text);
    CHECK(visible_lines(text) == text);
    CHECK(visible_output(text) == text);
    CHECK(visible_json(text) == text);
    CHECK(without_commands(text) == text);
  }
}

TEST_CASE("characters that a terminal would obey or not show are escaped") {
  CHECK(visible("a\nb\tc\r") == R"(a\nb\tc\r)");
  CHECK(visible(std::string_view("\0\a\x1b\x7f", 4)) == R"(\x00\x07\x1b\x7f)");
  CHECK(visible("\xc2\x9b"
                "2J \xc2\x85") == R"(\u009b2J \u0085)");
  CHECK(visible("\xe2\x80\xaegpj.exe\xe2\x81\xa9\xe2\x80\x8f\xd8\x9c") ==
        R"(\u202egpj.exe\u2069\u200f\u061c)");
  CHECK(visible("\xe2\x80\x8b\xe2\x80\xa8\xef\xbb\xbf\xf3\xa0\x81\xa1") ==
        R"(\u200b\u2028\ufeff\U000e0061)");
  CHECK(visible("\xff\x9b\xc0\xaf\xed\xa0\x80") == R"(\xff\x9b\xc0\xaf\xed\xa0\x80)");
  CHECK(visible_lines("a\n\tb\r\x1b[1m") == "a\n\tb\\r\\x1b[1m");
  CHECK(quoted("a\nb") == R"(`a\nb`)");
}

TEST_CASE("a build's output keeps its colors and nothing else") {
  CHECK(visible_output("\x1b[1;31mred\x1b[m\x1b[2J\x1b]0;t\a") ==
        "\x1b[1;31mred\x1b[m\\x1b[2J\\x1b]0;t\\x07");
  CHECK(visible_output(" 10%\r100%\r\nend\n") == " 10%\n100%\nend\n");
  CHECK(visible_drawing("\r\x1b[2A\x1b[J\x1b[31mx\x1b[0m\x1b[2J") ==
        "\r\x1b[2A\x1b[J\x1b[31mx\x1b[0m\\x1b[2J");
}

TEST_CASE("no line is a command for a GitHub runner") {
  CHECK(without_commands("::error::x\na ::b\n \t::c::\n") == ": :error::x\na ::b\n \t: :c::\n");
  CHECK(without_commands("\xc2\xa0\x1b[0m\xe3\x80\x80::x::") ==
        "\xc2\xa0\x1b[0m\xe3\x80\x80: :x::");
  CHECK(without_commands("a ##[error]x ###[b]") == "a ## [error]x ### [b]");
}

TEST_CASE("JSON means the same when it is visible") {
  const nlohmann::json value = {{"a", "##[x] \x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\xa1\n::y"}};
  const std::string seen = visible_json(value.dump(2));
  CHECK(nlohmann::json::parse(seen) == value);
  CHECK(seen == "{\n  \"a\": \"##\\u005bx] \\u007f\\u009b\\u202e\\udb40\\udc61\\n::y\"\n}");
}

TEST_CASE("an error is visible, and its caret stays in place") {
  const Error error{
      ErrorKind::config, "a\x1b[2J", Location{"m\n.yaml", 1, 3, "\x1b\tx"}, "b\x7f", {}};
  CHECK(render(error) ==
        "error: a\\x1b[2J\n"
        "  --> m\\n.yaml:1:3\n"
        "    |\n"
        "  1 | \\x1b\tx\n"
        "    |     \t^\n"
        "hint: b\\x7f\n");
}
