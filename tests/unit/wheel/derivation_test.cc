#include "wheel/derivation.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

using Names = std::vector<std::string>;

Result<Naming> derived(const std::string& version, const NamingRule& rule) {
  return derived_naming("a.whl", {"my-ops", version, {}}, rule);
}

TEST_CASE("the local version is removed, or becomes a part of the name") {
  CHECK(*derived("1.2.0+cu130", {"", "", LocalPart::strip}) == Naming{"my-ops", "1.2.0", {}});
  CHECK(*derived("1!1.2rc1+cu130.1", {"{name}-{label}", "", LocalPart::strip}) ==
        Naming{"my-ops-cu130.1", "1!1.2rc1", {}});
  CHECK(*derived("1.2.0+cu130", {"{name}_{label}", "", LocalPart::keep}) ==
        Naming{"my-ops_cu130", "1.2.0+cu130", {}});
  CHECK(*derived("1.2.0", {"{name}-x", "3", LocalPart::keep}) == Naming{"my-ops-x", "3", {}});
}

TEST_CASE("a derived wheel has the build number of the rule") {
  CHECK(*derived("1.2.0+cu130", {"", "", LocalPart::strip, 2}) == Naming{"my-ops", "1.2.0", {}, 2});
}

TEST_CASE("a rule that a wheel cannot follow is an error of usage") {
  for (const auto& [version, rule] : std::vector<std::pair<std::string, NamingRule>>{
           {"1.2.0", {"", "", LocalPart::strip}},
           {"1.2.0", {"{name}-{label}", "", LocalPart::keep}},
           {"1.2.0+cu130", {"{name}-{torch}", "", LocalPart::strip}},
           {"1.2.0+cu130", {"{label}-", "", LocalPart::strip}}}) {
    const Result<Naming> naming = derived(version, rule);
    REQUIRE_FALSE(naming);
    CHECK(naming.error().kind == ErrorKind::usage);
  }
}

const std::vector<Renaming> kSiblings = {
    {{"my-core", "1.2.0+cu130", {}}, {"my-core-cu130", "1.2.0", {}}},
    {{"my-core", "1.2.0+cu126", {}}, {"my-core-cu126", "1.2.0", {}}}};

DerivedRequirements of(const std::string& requirement, const std::string& own = "1+cu130",
                       const std::vector<Renaming>& siblings = kSiblings) {
  Result<Metadata> metadata = parse_metadata(
      "Metadata-Version: 2.1\nName: my-ops\nVersion: 1\nRequires-Dist: " + requirement + "\n");
  REQUIRE(metadata);
  return derived_requirements(*metadata, {"my-ops", own, {}}, siblings);
}

std::string changed(const std::string& requirement, const std::string& own = "1+cu130") {
  const DerivedRequirements found = of(requirement, own);
  return found.changed.empty() ? std::string() : found.changed.begin()->second;
}

TEST_CASE("a requirement on a sibling gets its new name and version") {
  CHECK(changed("my-core==1.2.0+cu130") == "my-core-cu130==1.2.0");
  CHECK(changed("My_Core (===1.2.0+cu130)") == "my-core-cu130===1.2.0");
  CHECK(changed("my-core[a,b] == 1.2.0+cu126 ; python_version < '3.12' and extra == 'x'") ==
        "my-core-cu126[a,b]==1.2.0; python_version < '3.12' and extra == 'x'");
  // Both siblings satisfy these: that of the wheel's own label is meant.
  CHECK(changed("my-core==1.2.0") == "my-core-cu130==1.2.0");
  CHECK(changed("my-core>=1,!=1.1", "1+cu126") == "my-core-cu126>=1,!=1.1");
  CHECK(changed("my-core") == "my-core-cu130");
}

TEST_CASE("other requirements are unchanged") {
  for (const char* const text : {"numpy==1.2.0", "my-core==1.3.0", "my-core @ https://x.org/a.whl",
                                 "my-core!=1.2.0", "my-core ==", "torch>=2"}) {
    CAPTURE(text);
    const DerivedRequirements found = of(text);
    CHECK(found.changed.empty());
    CHECK(found.local.empty());
    CHECK(found.ambiguous.empty());
  }
}

TEST_CASE("only the version changes if the name is kept") {
  const std::vector<Renaming> same = {{{"My.Core", "1.2.0+cu130", {}}, {"My.Core", "1.2.0", {}}}};
  CHECK(of("my-core==1.2.0+cu130", "1", same).changed.begin()->second == "my-core==1.2.0");
  CHECK(of("my-core==1.2.0", "1", same).changed.empty());
  CHECK(of("my-core>=1.0", "1", same).changed.empty());
}

TEST_CASE("what PyPI cannot provide, and what could be either sibling, is reported") {
  CHECK(of("torch==2.9+cu130").local == Names{"torch==2.9+cu130"});
  CHECK(of("my-core==1.3.0+cu130").local == Names{"my-core==1.3.0+cu130"});
  CHECK(of("my-core==1.2.0+cu130").local.empty());
  CHECK(of("my-core==1.2.0", "1").ambiguous == Names{"my-core==1.2.0"});
  CHECK(of("my-core==1.2.0", "1").changed.empty());
}

TEST_CASE("a pin applies to what a requirement became, and ends its warnings") {
  const std::vector<std::string> before = {"my-core[x]==1.2.0", "other>=1"};
  DerivedRequirements found{
      {{"my-core[x]==1.2.0", "my-core-cu130[x]==1.2.0"}}, {"torch==2.9+cu130"}, {}};
  REQUIRE(pin_derived(found, before, {{"my-core-cu130", "my-core-cu13==1.2.0"}}));
  CHECK(found.changed.at("my-core[x]==1.2.0") == "my-core-cu13[x]==1.2.0");
  CHECK(found.changed.size() == 1);
  DerivedRequirements warned = of("my-core==1.3.0+cu130");
  REQUIRE(pin_derived(warned, {"my-core==1.3.0+cu130"}, {{"my-core", "my-core==1.3.0"}}));
  CHECK(warned.local.empty());
  CHECK(warned.changed.at("my-core==1.3.0+cu130") == "my-core==1.3.0");
  DerivedRequirements either = of("my-core==1.2.0", "1");
  REQUIRE(pin_derived(either, {"my-core==1.2.0"}, {{"my-core", "my-core-cu126==1.2.0"}}));
  CHECK(either.ambiguous.empty());
  CHECK_FALSE(pin_derived(warned, {"my-core<1"}, {{"my-core", "my-core==1.3.0"}}));
}

}  // namespace
}  // namespace pinwheel::wheel
