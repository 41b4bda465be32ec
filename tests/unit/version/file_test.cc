#include "version/derive.h"

#include <string>

#include "unit/catch.h"

namespace pinwheel::version {
namespace {

TEST_CASE("a version file contains a version and white space") {
  CHECK(pep::to_string(version_from_file(" 1.2.0-rc1\n", "version.txt")->version) == "1.2.0rc1");
}

TEST_CASE("a version file with other contents is a config error that names it") {
  const Result<Derived> empty = version_from_file("", "version.txt");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().kind == ErrorKind::config);
  CHECK(empty.error().message == "`version.txt` does not contain a version");
  CHECK(version_from_file("1.2.0+cu130", "version.txt").error().message ==
        "version `1.2.0+cu130` in `version.txt` has a local part");
}

}  // namespace
}  // namespace pinwheel::version
