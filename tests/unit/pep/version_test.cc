#include "pep/version.h"

#include <string>
#include <utility>
#include <vector>

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

std::string normal(const std::string& text) {
  const Result<Version> version = parse_version(text);
  return version ? to_string(*version) : "error";
}

TEST_CASE("every spelling of a version has one normal form") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1.0", "1.0"},
      {" v1.0\n", "1.0"},
      {"1.0-ALPHA.1", "1.0a1"},
      {"1.0c2", "1.0rc2"},
      {"1.0preview", "1.0rc0"},
      {"1.0_beta-3", "1.0b3"},
      {"1.0-1", "1.0.post1"},
      {"1.0r4", "1.0.post4"},
      {"1.0-rev", "1.0.post0"},
      {"1.0dev", "1.0.dev0"},
      {"01.002", "1.2"},
      {"1!2.0", "1!2.0"},
      {"1.0a.dev1", "1.0a0.dev1"},
      {"1.0a1.post2.dev3", "1.0a1.post2.dev3"},
      {"1.0+Ubuntu-01_g", "1.0+ubuntu.1.g"},
      {"20261121", "20261121"}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(normal(text) == expected);
  }
}

TEST_CASE("text that is not a version is a config error that names it") {
  for (const std::string text : {"", "v", "1.", "1..2", "1.0+", "1.0+a..b", "1.0x", "1!", "1.0 2",
                                 "a1", "1.0+a+b", "99999999999999999999"}) {
    const Result<Version> version = parse_version(text);
    INFO(text);
    REQUIRE_FALSE(version);
    CHECK(version.error().kind == ErrorKind::config);
    CHECK(version.error().message == "`" + text + "` is not a version");
  }
}

TEST_CASE("versions are ordered as PEP 440 lists them") {
  const std::vector<std::string> sorted = {
      "1.dev0",        "1.0.dev456",    "1.0a1.dev1",   "1.0a1",
      "1.0a2.dev456",  "1.0a12",        "1.0b1.dev456", "1.0b2.post345.dev456",
      "1.0b2.post345", "1.0rc1.dev456", "1.0rc1",       "1.0",
      "1.0+abc.5",     "1.0+abc.7",     "1.0+5",        "1.0.post456.dev34",
      "1.0.post456",   "1.0.15",        "1.1.dev1",     "1!0.1"};
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    INFO(sorted[i] << " < " << sorted[i + 1]);
    CHECK(*parse_version(sorted[i]) < *parse_version(sorted[i + 1]));
    CHECK_FALSE(*parse_version(sorted[i + 1]) < *parse_version(sorted[i]));
  }
  CHECK(*parse_version("1.0") == *parse_version("1.0.0"));
  CHECK(*parse_version("1.0") != *parse_version("1.0+local"));
}

TEST_CASE("the public part leaves out the local label and the base all but the release") {
  const Version version = *parse_version("2!1.3.0rc1.post2.dev4+cu130.gabc");
  CHECK(to_string(public_part(version)) == "2!1.3.0rc1.post2.dev4");
  CHECK(to_string(base_part(version)) == "2!1.3.0");
}

TEST_CASE("pre-releases and development releases are not final") {
  CHECK(is_prerelease(*parse_version("1.0rc1")));
  CHECK(is_prerelease(*parse_version("1.0.post1.dev2")));
  CHECK_FALSE(is_prerelease(*parse_version("1.0.post1+local")));
}

}  // namespace
}  // namespace pinwheel::pep
