#include "base/limits.h"

#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("an error about size or count names the limit and its subject") {
  constexpr ByteLimit kPage{"a page", 40'000'000};
  CHECK(check_size("x", 40'000'000, kPage));
  const Done large = check_size("`a`", 40'000'001, kPage);
  REQUIRE_FALSE(large);
  CHECK(large.error().kind == ErrorKind::check);
  CHECK(large.error().message == "`a` is larger than the limit of 40 MB for a page");
  CHECK(too_many("`a.whl`", {"members", "an archive", 200'000}).message ==
        "`a.whl` has more than 200000 members, the limit for an archive");
}

TEST_CASE("a scaled limit follows the size of the whole once that is large") {
  constexpr ScaledLimit kPart{{"a part", 700}, 7};
  CHECK(kPart.of(0).most == 700);
  CHECK(kPart.of(100).most == 700);
  CHECK(kPart.of(1000).most == 7000);
  CHECK(kPart.of(1000).of == "a part");
}
