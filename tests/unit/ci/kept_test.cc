#include "ci/kept.h"

#include "unit/catch.h"

namespace pinwheel::ci {
namespace {

const std::string kMade = "a\n  # pinwheel: keep setup\n  # pinwheel: end\nb\n";

}  // namespace

TEST_CASE("a first file is what was generated", "[kept]") {
  CHECK(with_kept(kMade, "", "x.yml").value() == kMade);
}

TEST_CASE("lines of a person stay where the generator has a place", "[kept]") {
  const std::string existing =
      "old\n  # pinwheel: keep setup\n  - run: mine\n\n  # pinwheel: end\nolder\n";
  CHECK(with_kept(kMade, existing, "x.yml").value() ==
        "a\n  # pinwheel: keep setup\n  - run: mine\n\n  # pinwheel: end\nb\n");
}

TEST_CASE("lines that have no place any more are an error with their line", "[kept]") {
  const auto kept = with_kept(kMade, "x\n# pinwheel: keep gone\nmine\n# pinwheel: end\n", "x.yml");
  REQUIRE_FALSE(kept);
  CHECK(kept.error().kind == ErrorKind::config);
  CHECK(kept.error().message == "the generated file has no place for `gone`");
  CHECK(kept.error().at->line == 2);
  CHECK(kept.error().hint == "move its lines to one of `setup`");
}

TEST_CASE("an empty block without a place is dropped", "[kept]") {
  CHECK(with_kept(kMade, "# pinwheel: keep gone\n# pinwheel: end\n", "x.yml").value() == kMade);
}

TEST_CASE("a block that never ends, or ends in another, is an error", "[kept]") {
  CHECK(with_kept(kMade, "# pinwheel: keep setup\nmine\n", "x").error().message ==
        "`setup` has no end");
  CHECK(with_kept(kMade, "# pinwheel: keep a\n# pinwheel: keep b\n", "x").error().message ==
        "`b` begins inside `a`");
  CHECK(with_kept(kMade,
                  "# pinwheel: keep a\n# pinwheel: end\n# pinwheel: keep a\n# pinwheel: end\n", "x")
            .error()
            .message == "`a` occurs twice");
}

}  // namespace pinwheel::ci
