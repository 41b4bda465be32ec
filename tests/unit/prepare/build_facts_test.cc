#include "prepare/build_facts.h"

#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

TEST_CASE("a report or a plan passes on the variables that affect a build, and no others") {
  CHECK(deciding_variables({{"CFLAGS", "-O1"}, {"LD_PRELOAD", "/evil.so"}}) ==
        std::map<std::string, std::string>{{"CFLAGS", "-O1"}});
}

TEST_CASE("a variable that decides builds is UTF-8, and one that is not is named") {
  CHECK(check_variables({{"CFLAGS", "-I/tmp/caf\xc3\xa9"}}));
  const Done refused = check_variables({{"CC", "gcc"}, {"CFLAGS", "-I/tmp/caf\xe9"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message ==
        R"(the variable `CFLAGS` decides builds, and `-I/tmp/caf\xe9` is not UTF-8)");
}

}  // namespace
}  // namespace pinwheel::prepare
