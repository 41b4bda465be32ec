#include "ci/own_lines.h"

#include "unit/catch.h"

namespace pinwheel::ci {
namespace {

const std::string kMade = "a\n  # pinwheel: keep setup\n  # pinwheel: end\nb\n";

}  // namespace

TEST_CASE("a first file is what was generated", "[own_lines]") {
  CHECK(with_own_lines(kMade, "", "x.yml").value() == kMade);
}

TEST_CASE("lines of a person stay where the generator has a place", "[own_lines]") {
  const std::string existing =
      "old\n  # pinwheel: keep setup\n  - run: mine\n\n  # pinwheel: end\nolder\n";
  CHECK(with_own_lines(kMade, existing, "x.yml").value() ==
        "a\n  # pinwheel: keep setup\n  - run: mine\n\n  # pinwheel: end\nb\n");
}

TEST_CASE("lines that have no place any more are an error with their line", "[own_lines]") {
  const auto merged =
      with_own_lines(kMade, "x\n# pinwheel: keep gone\nmine\n# pinwheel: end\n", "x.yml");
  REQUIRE_FALSE(merged);
  CHECK(merged.error().kind == ErrorKind::config);
  CHECK(merged.error().message == "the generated file has no place for `gone`");
  CHECK(merged.error().at->line == 2);
  CHECK(merged.error().hint == "move its lines to one of `setup`");
}

TEST_CASE("an empty block without a place is dropped", "[own_lines]") {
  CHECK(with_own_lines(kMade, "# pinwheel: keep gone\n# pinwheel: end\n", "x.yml").value() ==
        kMade);
}

TEST_CASE("a block that never ends, or ends in another, is an error", "[own_lines]") {
  CHECK(with_own_lines(kMade, "# pinwheel: keep setup\nmine\n", "x").error().message ==
        "`setup` has no end");
  CHECK(with_own_lines(kMade, "# pinwheel: keep a\n# pinwheel: keep b\n", "x").error().message ==
        "`b` begins inside `a`");
  CHECK(with_own_lines(kMade,
                       "# pinwheel: keep a\n# pinwheel: end\n# pinwheel: keep a\n# pinwheel: end\n",
                       "x")
            .error()
            .message == "`a` occurs twice");
}

}  // namespace pinwheel::ci
