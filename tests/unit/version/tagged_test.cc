#include "version/tagged.h"

#include <string>
#include <utility>
#include <vector>

#include "unit/catch.h"

namespace pinwheel::version {
namespace {

TEST_CASE("tags are classified by version and by position") {
  ports::GitFacts facts;
  facts.tags = {{"v1.0", 0}, {"v1.1", 3}, {"v-next", 0}, {"other", 0}};
  facts.all_tags = {"v1.0", "v1.1", "v-next", "other", "v2.0"};
  const TaggedVersions tags = *read_tags(facts, {});
  CHECK(tags.on_head->name == "v1.0");
  CHECK(tags.reachable->name == "v1.1");
  CHECK(tags.anywhere->name == "v2.0");
  CHECK(tags.ignored == std::vector<std::string>{"v-next"});
}

std::string of_package(std::vector<ports::GitTag> tags, const std::string& match = {}) {
  ports::GitFacts facts;
  facts.tags = std::move(tags);
  const auto tag = tag_of_package(facts, match, "my.ops");
  return *tag ? (*tag)->name : std::string();
}

TEST_CASE("the tag of a package on HEAD is the highest with its name, else one without a name") {
  CHECK(of_package({{"v1.0", 0}, {"v1.2", 0}, {"v1.10", 0}, {"v2.0", 1}}) == "v1.10");
  CHECK(of_package({{"v2.0", 0}, {"my_ops-1.0", 0}}) == "my_ops-1.0");
  CHECK(of_package({{"libs/my-ops/v1.0", 0}}) == "libs/my-ops/v1.0");
  CHECK(of_package({{"MY-OPS==1.0", 0}}) == "MY-OPS==1.0");
  CHECK(of_package({{"Release/v1.0", 0}}) == "Release/v1.0");
  CHECK(of_package({{"other-1.0", 0}, {"cuda12-1.0", 0}, {"v-next", 0}, {"rev1.0", 0}}).empty());
}

TEST_CASE("only a pattern selects the tags of the package") {
  CHECK(of_package({{"v2.0", 0}, {"other-1.0", 0}}, "other-*") == "other-1.0");
  CHECK(of_package({{"v2.0", 0}}, "other-*").empty());
  CHECK_FALSE(tag_of_package({}, "other", "my-ops"));
}

TEST_CASE("the tag of a release is the one on HEAD, else the pattern with its version") {
  ports::GitFacts facts;
  facts.tags = {{"release-1.2", 0}, {"v1.1.0", 1}};
  const auto tag = [&](const std::string& match, const std::string& version) {
    return release_tag(facts, match, "my-ops", version).value();
  };
  CHECK(tag("", "1.2.0")->name == "release-1.2");
  CHECK(tag("", "1.2.0")->exists);
  CHECK(tag("", "1.3.0rc1")->name == "v1.3.0rc1");
  CHECK_FALSE(tag("", "1.3.0rc1")->exists);
  CHECK(tag("ops-v*", "1.2.0")->name == "ops-v1.2.0");
  CHECK_FALSE(tag("", "1.3.0.dev4"));
  CHECK_FALSE(tag("", "1.2.0+cpu"));
  CHECK_FALSE(release_tag(facts, "other", "my-ops", "1.2.0"));
  CHECK_FALSE(tag("", "1.3.0")->elsewhere);
  facts.all_tags = {"release-1.2", "v1.1.0", "v1.3.0"};
  CHECK(tag("", "1.3.0")->elsewhere);
  CHECK_FALSE(tag("", "1.2.0")->elsewhere);
}

}  // namespace
}  // namespace pinwheel::version
