#include "base/terminal_text.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the last lines of a log are those that a terminal would show") {
  CHECK(last_lines("a\nb\nc\n\n", 2) == std::vector<std::string>{"b", "c"});
  CHECK(last_lines("a\n\nb", 5) == std::vector<std::string>{"a", "", "b"});
  CHECK(last_lines(" 10%\r 50%\r100%\r\nend\r\n", 5) == std::vector<std::string>{"100%", "end"});
  CHECK(last_lines("\x1b[31mred\x1b[0m\a\tx\x1b", 5) == std::vector<std::string>{"red\tx"});
  CHECK(last_lines("", 5).empty());
  CHECK(last_lines(std::string(100, '\n') + "x", 20).size() == 20);
}
