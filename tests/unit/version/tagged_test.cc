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

TEST_CASE("a tag that ends with -rN is a re-cut if the rules say so") {
  ports::GitFacts facts;
  facts.tags = {
      {"v1.2.0-r2", 0}, {"v1.2.0-r10", 0}, {"v1.2.0", 3}, {"v1.2.0-r0", 1}, {"v1.1.0-r1", 5}};
  for (const ports::GitTag& tag : facts.tags) facts.all_tags.push_back(tag.name);
  const TaggedVersions post = *read_tags(facts, {});
  CHECK(pep::to_string(post.on_head->version) == "1.2.0.post10");
  CHECK(post.on_head->build == 0);
  const TaggedVersions cuts = *read_tags(facts, {.recuts = Recuts::read});
  CHECK(cuts.on_head->name == "v1.2.0-r10");
  CHECK(pep::to_string(cuts.on_head->version) == "1.2.0");
  CHECK(cuts.on_head->build == 10);
  // Commits are counted from the version's own tag.
  CHECK(cuts.reachable->name == "v1.2.0");
  CHECK(cuts.reachable->distance == 3);
  CHECK(cuts.anywhere->name == "v1.2.0");
  CHECK(cuts.ignored == std::vector<std::string>{"v1.2.0-r0"});
}

TEST_CASE("the mark of a re-cut follows the whole pattern") {
  ports::GitFacts facts;
  facts.tags = {{"v1.0-ops-r1", 0}, {"my-ops-2.0-r3", 0}, {"v1.0-r-next", 0}};
  const auto suffixed = tag_of_package(facts, "v*-ops", "my-ops", Recuts::read);
  REQUIRE(*suffixed);
  CHECK((*suffixed)->build == 1);
  const auto named = tag_of_package(facts, "", "my-ops", Recuts::read);
  REQUIRE(*named);
  CHECK((*named)->name == "my-ops-2.0-r3");
  CHECK(pep::to_string((*named)->version) == "2.0");
  CHECK((*named)->build == 3);
}

TEST_CASE("a re-cut has a tag of its own if such tags are read") {
  ports::GitFacts facts;
  facts.tags = {{"v1.2.0", 0}, {"v1.2.0-r1", 0}};
  facts.all_tags = {"v1.2.0", "v1.2.0-r1", "v1.2.0-r3"};
  const auto tag = [&](uint64_t build, Recuts recuts) {
    return release_tag(facts, "v*", "my-ops", "1.2.0", {build, recuts}).value();
  };
  CHECK(tag(1, Recuts::read)->name == "v1.2.0-r1");
  CHECK(tag(1, Recuts::read)->exists);
  CHECK(tag(0, Recuts::read)->name == "v1.2.0");
  CHECK(tag(0, Recuts::read)->exists);
  CHECK(tag(2, Recuts::read)->name == "v1.2.0-r2");
  CHECK_FALSE(tag(2, Recuts::read)->exists);
  CHECK_FALSE(tag(2, Recuts::read)->elsewhere);
  CHECK(tag(3, Recuts::read)->elsewhere);
  // Without such tags, a re-cut of this commit has the tag of its version, or none.
  facts.tags = {{"v1.2.0", 0}};
  CHECK(tag(2, Recuts::ignore)->name == "v1.2.0");
  facts.tags = {{"v1.2.0", 1}};
  CHECK_FALSE(tag(2, Recuts::ignore));
}

}  // namespace
}  // namespace pinwheel::version
