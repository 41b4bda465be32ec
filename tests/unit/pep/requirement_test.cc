#include "pep/requirement.h"

#include <string>

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("a requirement is parsed and formatted back") {
  const Requirement requirement =
      *parse_requirement("Torch [opt, b] ( >=2.10, <3 ) ; python_version < '3.14'");
  CHECK(requirement.name == "Torch");
  CHECK(requirement.extras == std::vector<std::string>{"opt", "b"});
  CHECK(requirement.marker == "python_version < '3.14'");
  CHECK(to_string(requirement) == "Torch[opt,b]>=2.10,<3; python_version < '3.14'");
}

TEST_CASE("a URL may hold a semicolon, so its marker follows a space") {
  const Requirement requirement =
      *parse_requirement("torch @ https://example.org/a;b.whl ; os_name == 'posix'");
  CHECK(requirement.url == "https://example.org/a;b.whl");
  CHECK(to_string(requirement) == "torch @ https://example.org/a;b.whl ; os_name == 'posix'");
}

TEST_CASE("a malformed requirement is a config error that names it") {
  const Result<Requirement> requirement = parse_requirement("torch 2.0");
  REQUIRE_FALSE(requirement);
  CHECK(requirement.error().kind == ErrorKind::config);
  CHECK(requirement.error().message == "`torch 2.0` is not a requirement");
}

}  // namespace
}  // namespace pinwheel::pep
