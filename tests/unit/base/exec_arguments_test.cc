#include "base/exec_arguments.h"

#include <string_view>

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("execve gets every argument and then a null pointer") {
  const ExecArguments arguments(std::vector<std::string>{"sh", "", "a b"});
  CHECK(std::string_view(arguments.data()[0]) == "sh");
  CHECK(std::string_view(arguments.data()[1]).empty());
  CHECK(std::string_view(arguments.data()[2]) == "a b");
  CHECK(arguments.data()[3] == nullptr);
}

TEST_CASE("variables are assignments, and none at all is an empty array") {
  const ExecArguments some(std::map<std::string, std::string>{{"A", "1"}, {"B", "x=y"}});
  CHECK(std::string_view(some.data()[0]) == "A=1");
  CHECK(std::string_view(some.data()[1]) == "B=x=y");
  CHECK(some.data()[2] == nullptr);
  CHECK(ExecArguments(std::map<std::string, std::string>{}).data()[0] == nullptr);
}
