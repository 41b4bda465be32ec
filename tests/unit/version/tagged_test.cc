#include "version/tagged.h"

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

}  // namespace
}  // namespace pinwheel::version
