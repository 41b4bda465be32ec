#include "plan/outline.h"

#include "plan/shards.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

matrix::Variant variant(const std::string& id) {
  matrix::Variant made;
  made.id = id;
  return made;
}

/// Builds c0..c9, class i with i + 1 tests.
Outline ten_builds() {
  Outline outline;
  for (int build = 0; build < 10; ++build) {
    BuildGroup group{{"c" + std::to_string(build), {}, {}}, {}};
    for (int test = 0; test <= build; ++test) {
      const std::string id = "v" + std::to_string(build) + "-" + std::to_string(test);
      group.tests.push_back(id);
      outline.variants.push_back(variant(id));
    }
    outline.builds.push_back(group);
  }
  return outline;
}

}  // namespace

TEST_CASE("an outline keeps the classes of selected variants and drops the others") {
  const std::vector<matrix::AbiClass> classes = {{"cpu", {"a", "b"}, "a"}, {"cu13", {"c"}, "c"}};
  const Outline outline = make_outline(classes, {variant("b")});
  REQUIRE(outline.builds.size() == 1);
  CHECK(outline.builds[0].cls.id == "cpu");
  CHECK(outline.builds[0].cls.representative == "a");
  CHECK(outline.builds[0].tests == std::vector<std::string>{"b"});
  CHECK(summary_line(outline) == "1 variant, 1 build, 1 test");
}

TEST_CASE("the first build of a package makes its sdist") {
  Outline outline;
  outline.builds = {{{"core-cpu", {}, {}}, {}}, {{"cpu", {}, {}}, {}}, {{"cu13", {}, {}}, {}}};
  outline.builds[0].cls.package = "core";
  CHECK(sdist_build(outline, "core") == &outline.builds[0]);
  CHECK(sdist_build(outline, "") == &outline.builds[1]);
  CHECK(sdist_build(outline, "data") == nullptr);
}

TEST_CASE("shards contain every build once, with all its tests") {
  const Outline outline = ten_builds();
  for (int count = 1; count <= 12; ++count) {
    const std::vector<Outline> parts = split_into_shards(outline, count);
    REQUIRE(parts.size() == static_cast<size_t>(count));
    std::vector<std::string> builds;
    size_t variants = 0;
    for (const Outline& part : parts) {
      size_t tests = 0;
      for (const BuildGroup& group : part.builds) {
        builds.push_back(group.cls.id);
        tests += group.tests.size();
      }
      CHECK(part.variants.size() == tests);
      variants += part.variants.size();
    }
    std::sort(builds.begin(), builds.end());
    CHECK(builds.size() == 10);
    CHECK(std::unique(builds.begin(), builds.end()) == builds.end());
    CHECK(variants == outline.variants.size());
  }
}

TEST_CASE("a shard is written INDEX/COUNT") {
  CHECK(parse_shard("2/4")->index == 2);
  CHECK(parse_shard("2/4")->count == 4);
  for (const char* wrong : {"", "2", "0/4", "5/4", "a/b", "2/", "/4", "2/4x", "-1/4"}) {
    INFO(wrong);
    REQUIRE_FALSE(parse_shard(wrong));
    CHECK(parse_shard(wrong).error().kind == ErrorKind::usage);
  }
}
