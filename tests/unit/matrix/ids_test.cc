#include "matrix/ids.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::matrix;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Combination id_row(Pairs axes, int line = 0) {
  return {std::move(axes), {}, {"m.yaml", line, 1, ""}};
}

}  // namespace

TEST_CASE("an id joins the parts of the axes in order") {
  const auto ids = make_ids({id_row(
      {{"python", "3.12"}, {"compute", "cuda/13.0"}, {"torch", "2.13"}, {"arch", "x86_64"}})});
  REQUIRE(ids.has_value());
  CHECK(*ids == std::vector<std::string>{"cp312-cu130-torch2.13-x86_64"});
}

TEST_CASE("computes that differ only in the patch level keep their full version") {
  const auto ids =
      make_ids({id_row({{"compute", "cuda/11.7.1"}}), id_row({{"compute", "cuda/11.7.2"}}),
                id_row({{"compute", "cuda/11.8.1"}})});
  REQUIRE(ids.has_value());
  CHECK(*ids == std::vector<std::string>{"cu1171", "cu1172", "cu118"});
}

TEST_CASE("a duplicate id names both rows and the include that made it") {
  const auto ids = make_ids({id_row({{"python", "3.12"}, {"blas", "a b"}}),
                             id_row({{"python", "3.12"}, {"blas", "a-b"}}, 7)});
  REQUIRE_FALSE(ids.has_value());
  CHECK(ids.error().kind == ErrorKind::config);
  CHECK(ids.error().message ==
        "two variants have the id `cp312-a-b`: python 3.12, blas a b; and python 3.12, blas a-b");
  CHECK(ids.error().at->line == 7);
}

TEST_CASE("a row that lacks an axis value is an error") {
  const auto ids = make_ids({id_row({}, 4)});
  REQUIRE_FALSE(ids.has_value());
  CHECK(ids.error().at->line == 4);
}
