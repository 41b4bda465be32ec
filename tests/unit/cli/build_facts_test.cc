#include "cli/build_facts.h"

#include "unit/catch.h"

namespace pinwheel::cli {
namespace {

TEST_CASE("a report or a plan passes on the variables that affect a build, and no others") {
  CHECK(deciding_variables({{"CFLAGS", "-O1"}, {"LD_PRELOAD", "/evil.so"}}) ==
        std::map<std::string, std::string>{{"CFLAGS", "-O1"}});
}

}  // namespace
}  // namespace pinwheel::cli
