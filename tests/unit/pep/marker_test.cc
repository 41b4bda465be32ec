#include "pep/marker.h"

#include <string>

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("python versions are compared as versions, other variables as text") {
  const MarkerEnvironment here = {{"python_version", "3.10"}, {"platform_release", "6.10"}};
  CHECK(*evaluate_marker("python_version > '3.9'", here));
  CHECK_FALSE(*evaluate_marker("os_name == 'posix'", here));
}

TEST_CASE("and binds tighter than or, and parentheses before both") {
  const MarkerEnvironment here = {{"os_name", "posix"}};
  CHECK(*evaluate_marker("os_name=='posix' or os_name=='nt' and os_name=='java'", here));
  CHECK_FALSE(*evaluate_marker("(os_name=='posix' or os_name=='nt') and os_name=='java'", here));
}

TEST_CASE("a malformed marker is a config error even behind a decided side") {
  for (const std::string marker :
       {"os_name == 'posix' or nonsense == 'a'", "os_name == 'posix' extra", "os_name == 'posix",
        "os_name", "'a' == 'b'", "(os_name == 'a'", "os_name ~= 'posix'", ""}) {
    INFO(marker);
    const Result<bool> result = evaluate_marker(marker, {{"os_name", "posix"}});
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::config);
  }
  CHECK_FALSE(evaluate_marker(std::string(100000, '('), {}));
}

}  // namespace
}  // namespace pinwheel::pep
