#include "init/shell_words.h"

#include "unit/catch.h"

namespace pinwheel::init {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("plain commands are split, placeholders stay") {
  CHECK(matrix_command("python -m pytest {project}/tests -k 'not slow'") ==
        Texts{"python", "-m", "pytest", "{project}/tests", "-k", "not slow"});
  CHECK(matrix_command(" python -c \"x = {'a': 1}\" ") == Texts{"python", "-c", "x = {{'a': 1}}"});
  CHECK(shell_words("a\\ b '' c") == Texts{"a b", "", "c"});
}

TEST_CASE("what a shell does is left to a shell") {
  CHECK(matrix_command("cd {package} && pytest") == Texts{"sh", "-c", "cd {package} && pytest"});
  CHECK(matrix_command("echo ${A}") == Texts{"sh", "-c", "echo ${{A}}"});
  for (const char* command :
       {"A=1 pytest", "pytest *.py", "a | b", "a \"$B\"", "a 'b", "a\nb", "a {x}"}) {
    INFO(command);
    CHECK(needs_shell(command));
  }
  CHECK_FALSE(needs_shell("pytest --cov='a;b' {wheel}"));
}

}  // namespace
}  // namespace pinwheel::init
