#include "matrix/variant.h"

#include "matrix/expand.h"
#include "unit/matrix/parsed.h"

using namespace pinwheel;
using namespace pinwheel::matrix;
using testing::parsed;
using testing::value_of;

TEST_CASE("a variant is found by its id, and an id of no variant is named") {
  const Expansion expansion =
      value_of(expand(parsed("axes: {python: ['3.10', '3.11'], compute: [cpu, cuda/13.0]}")));
  const VariantIndex index(expansion.variants);
  for (const Variant& variant : expansion.variants) {
    CHECK(value_of(index.find(variant.id)) == &variant);
  }
  for (auto variant = expansion.variants.rbegin(); variant != expansion.variants.rend();
       ++variant) {
    CHECK(value_of(index.find(variant->id)) == &*variant);
    CHECK(value_of(index.find(variant->id)) == &*variant);
    CHECK(index.contains(variant->id));
  }
  CHECK_FALSE(index.contains("cp399-cpu"));
  const std::vector<Variant> none;
  CHECK_FALSE(VariantIndex(none).contains("cp310-cpu"));
  const auto missing = index.find("cp399-cpu");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::internal);
  CHECK(missing.error().message == "variant `cp399-cpu` is not in the matrix");
}
