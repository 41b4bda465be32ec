#include "store/derived_file.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "unit/catch.h"

namespace pinwheel::store {
namespace {

TEST_CASE("a derived file round-trips through JSON, which says that the code is identical") {
  const DerivedFile derived{"b.whl", "a.whl", 3, {"b/METADATA", "b/RECORD"}, {"b/new"}, {}};
  const std::string text = derived_object(derived).dump();
  CHECK(text.find(R"("code":"identical")") != std::string::npos);
  CHECK(derived_from(parse_json(text)) == derived);
  CHECK_THROWS(derived_from(parse_json("{}")));
}

TEST_CASE("the line about a derived file counts what changed") {
  CHECK(derivation_line({"b.whl", "a.whl", 1, {"b/METADATA"}}) ==
        "`b.whl` has the code of `a.whl`: 1 file identical, 1 rewritten");
  CHECK(derivation_line({"b.whl", "a.whl", 3, {}, {"b/new"}, {"a/old", "a/older"}}) ==
        "`b.whl` has the code of `a.whl`: 3 files identical, 0 rewritten, 1 added, 2 dropped");
}

}  // namespace
}  // namespace pinwheel::store
