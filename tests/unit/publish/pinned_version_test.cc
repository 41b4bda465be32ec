#include "publish/pinned_version.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("one version of a project is read, in any spelling") {
  const auto pinned = publish::parse_pinned_version("Demo_Ops == 1.0.DEV3+CU130");
  REQUIRE(pinned);
  CHECK(publish::to_string(*pinned) == "demo-ops==1.0.dev3+cu130");
}

TEST_CASE("what names no single version is rejected") {
  for (const char* text : {"", "demo", "demo>=1.0", "demo==1.*", "demo==1.0,<2", "demo==one",
                           "==1.0", "demo @ https://example.org/demo-1.0-py3-none-any.whl"}) {
    const auto pinned = publish::parse_pinned_version(text);
    INFO(text);
    REQUIRE_FALSE(pinned);
    CHECK(pinned.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("a public version selects its local versions, and a local version only itself") {
  const auto version = [](const char* text) { return *pep::parse_version(text); };
  const auto all = *publish::parse_pinned_version("demo==1.0");
  const auto one = *publish::parse_pinned_version("demo==1.0+cu130");
  CHECK(publish::is_pinned_by(version("1.0.0"), all));
  CHECK(publish::is_pinned_by(version("1.0+cu130"), all));
  CHECK_FALSE(publish::is_pinned_by(version("1.0.1"), all));
  CHECK(publish::is_pinned_by(version("1.0+cu130"), one));
  CHECK_FALSE(publish::is_pinned_by(version("1.0+cpu"), one));
  CHECK_FALSE(publish::is_pinned_by(version("1.0"), one));
}
