#include "pep/specifier.h"

#include <string>

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

bool holds(const std::string& version, const std::string& specifiers) {
  return satisfies(*parse_version(version), *parse_specifiers(specifiers));
}

TEST_CASE("a compatible release stays below the next number of the last part but one") {
  CHECK(holds("2.10.3", "~=2.10.0"));
  CHECK_FALSE(holds("2.11.0", "~=2.10.0"));
  CHECK(holds("2.11.0", "~=2.10"));
}

TEST_CASE("a local part counts only where the clause has one") {
  CHECK(holds("2.10.0+cu130", "==2.10.0"));
  CHECK(holds("2.10.0+cu130", "==2.10.0+cu130"));
  CHECK_FALSE(holds("2.10.0", "==2.10.0+cu130"));
}

TEST_CASE("a wildcard compares the release by number, not by text") {
  CHECK(holds("12.6", "==12.*"));
  CHECK_FALSE(holds("120.0", "==12.*"));
}

TEST_CASE("pre-releases are candidates only when asked for or when nothing else is") {
  const std::vector<Version> both = {*parse_version("1.0"), *parse_version("1.1rc1")};
  CHECK(candidates(both, *parse_specifiers(">=1.0")).size() == 1);
  CHECK(candidates(both, *parse_specifiers(">=1.0rc1")).size() == 2);
  CHECK(candidates(both, *parse_specifiers(">1.0")).size() == 1);
}

TEST_CASE("a malformed clause is a config error that names it") {
  const Result<SpecifierSet> specifiers = parse_specifiers(">=1.0, =2");
  REQUIRE_FALSE(specifiers);
  CHECK(specifiers.error().kind == ErrorKind::config);
  CHECK(specifiers.error().message == "`=2` is not a version specifier");
}

TEST_CASE("specifiers read back as they are written") {
  CHECK(to_string(*parse_specifiers(" >= 1.0 ,!=1.5.*")) == ">=1.0,!=1.5.*");
}

}  // namespace
}  // namespace pinwheel::pep
