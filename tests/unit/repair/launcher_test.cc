#include "repair/launcher.h"

#include "unit/catch.h"

namespace pinwheel::repair {
namespace {

TEST_CASE("scripts are moved below the distribution's name, other members stay") {
  CHECK(moved_program("demo-1.0.data/scripts/tool", "demo") ==
        MovedProgram{"demo-1.0.data/scripts/tool", "demo.scripts/tool"});
  for (const char* const member :
       {"demo/tool", "demo-1.0.data/data/tool", "demo-1.0.data/scripts/", "demo/x.data/scripts/y",
        "demo-1.0.data/scripts/a/b", "demo-1.0.data/platlib/demo-1.0.data/scripts/tool"}) {
    CAPTURE(member);
    CHECK_FALSE(moved_program(member, "demo"));
  }
}

TEST_CASE("a launcher names its program as a literal of Python") {
  const std::string text = launcher({"", "demo.scripts/a\"b\\c"});
  CHECK(text.starts_with("#!python\n"));
  CHECK(text.find("PROGRAM = \"demo.scripts/a\\\"b\\\\c\"\n") != std::string::npos);
}

}  // namespace
}  // namespace pinwheel::repair
