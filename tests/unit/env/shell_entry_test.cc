#include "env/shell_entry.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("the prompt shows the environment and the current directory") {
  CHECK(env::shell_settings("cp311-cpu test") ==
        "PS1='[cp311-cpu test] $PWD $ '\nunset HISTFILE\n");
}

TEST_CASE("the shell gets its settings file as an argument, whatever characters the path has") {
  const std::vector<std::string> argv = env::interactive_shell("/a b/settings");
  REQUIRE(argv.size() == 4);
  CHECK(argv[0] == "sh");
  CHECK(argv[3] == "/a b/settings");
  CHECK(argv[2].find("/a b") == std::string::npos);
}

TEST_CASE("only the terminal's variables of the user are kept") {
  CHECK(env::terminal_variables({{"TERM", "xterm"}, {"LD_PRELOAD", "x"}, {"NO_COLOR", "1"}}) ==
        std::map<std::string, std::string>{{"TERM", "xterm"}, {"NO_COLOR", "1"}});
  CHECK(env::terminal_variables({}).empty());
}
