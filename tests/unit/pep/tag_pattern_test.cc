#include "pep/tag_pattern.h"

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

std::string version_by(const std::string& glob, const std::string& tag) {
  const Result<TagPattern> pattern = parse_tag_pattern(glob);
  REQUIRE(pattern);
  return std::string(pattern->version_in(tag).value_or("none"));
}

TEST_CASE("the star of a tag pattern is the version, with what says how it begins") {
  CHECK(version_by("v*", "v1.2") == "1.2");
  CHECK(version_by("v[0-9]*", "v1.2") == "1.2");
  CHECK(version_by("v[0-9]*", "vx") == "none");
  CHECK(version_by("[0-9]*", "12.0") == "12.0");
  CHECK(version_by("v[!a-z]?*", "v1.2") == "1.2");
  CHECK(version_by("pkg-v*-final", "pkg-v1.2-final") == "1.2");
  CHECK(version_by("pkg-v*-final", "pkg-v1.2") == "none");
  CHECK(parse_tag_pattern("pkg-v[0-9]*")->with("1.2") == "pkg-v1.2");
}

TEST_CASE("a pattern that no version could be read by is refused") {
  for (const std::string glob :
       {"", "v", "v**", "v*.*", "v[0-9]", "{a,b}-v*", "a[bc]d*", "v*[0-9]", "v[0-9*"}) {
    INFO(glob);
    const Result<TagPattern> pattern = parse_tag_pattern(glob);
    REQUIRE_FALSE(pattern);
    CHECK(pattern.error().kind == ErrorKind::config);
  }
}

}  // namespace
}  // namespace pinwheel::pep
