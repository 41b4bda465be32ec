#include "prepare/frozen_run.h"

#include <string>
#include <utility>
#include <vector>

#include "matrix/parse.h"
#include "unit/catch.h"

namespace pinwheel::prepare {
namespace {

constexpr const char* kYaml = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.11"]
  flavor: [plain, loud, old]
abi: {python: none}
rules:
  - {when: {flavor: old}, status: unmaintained, because: nobody has it}
)";

Loaded loaded() {
  Result<matrix::Matrix> matrix = matrix::parse(kYaml, "m.yaml");
  REQUIRE(matrix);
  Result<matrix::Expansion> expansion = matrix::expand(*matrix);
  REQUIRE(expansion);
  Result<std::vector<matrix::AbiClass>> classes = matrix::abi_classes(*matrix, expansion->variants);
  REQUIRE(classes);
  return {*std::move(matrix), *std::move(expansion), *std::move(classes)};
}

plan::FrozenPlan plan_of(std::vector<std::string> variants) {
  plan::FrozenPlan frozen;
  frozen.variants = std::move(variants);
  return frozen;
}

std::vector<std::string> ids(const Result<plan::Outline>& outline) {
  INFO((outline ? std::string() : render(outline.error())));
  REQUIRE(outline);
  std::vector<std::string> found;
  for (const matrix::Variant& variant : outline->variants) found.push_back(variant.id);
  return found;
}

TEST_CASE("without a selection a frozen plan is whole, whatever the status of its variants") {
  const plan::FrozenPlan frozen = plan_of({"cp311-old", "cp311-plain"});
  const Result<plan::Outline> whole = frozen_outline(loaded(), {}, {}, frozen);
  CHECK(ids(whole) == std::vector<std::string>{"cp311-plain", "cp311-old"});
  CHECK(whole->builds.size() == 2);
}

TEST_CASE("a selection, a status and a shard choose from a frozen plan") {
  const plan::FrozenPlan frozen = plan_of({"cp311-plain", "cp311-old"});
  SelectionOptions status;
  status.status = {"supported"};
  CHECK(ids(frozen_outline(loaded(), status, {}, frozen)) ==
        std::vector<std::string>{"cp311-plain"});
  CHECK(ids(frozen_outline(loaded(), {}, {"*old"}, frozen)) ==
        std::vector<std::string>{"cp311-old"});
  std::vector<std::string> shards;
  for (const char* shard : {"1/2", "2/2"}) {
    SelectionOptions part;
    part.shard = shard;
    for (const std::string& id : ids(frozen_outline(loaded(), part, {}, frozen))) {
      shards.push_back(id);
    }
  }
  CHECK(shards == std::vector<std::string>{"cp311-plain", "cp311-old"});
}

TEST_CASE("a selection that has nothing of a frozen plan selects nothing") {
  const plan::FrozenPlan frozen = plan_of({"cp311-plain"});
  SelectionOptions axis;
  axis.selectors = {"flavor=loud"};
  SelectionOptions only;
  only.only = {"cp311-loud"};
  SelectionOptions shard;
  shard.shard = "2/2";
  for (const SelectionOptions& selection : {axis, only, shard}) {
    const Result<plan::Outline> nothing = frozen_outline(loaded(), selection, {}, frozen);
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().kind == ErrorKind::nothing_selected);
  }
  const Result<plan::Outline> nothing = frozen_outline(loaded(), {}, {"*loud"}, frozen);
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().kind == ErrorKind::nothing_selected);
  CHECK_FALSE(nothing.error().hint.empty());
  axis.allow_empty = true;
  CHECK(ids(frozen_outline(loaded(), axis, {}, frozen)).empty());
}

TEST_CASE("a variant of a frozen plan that the matrix lacks is drift") {
  const Result<plan::Outline> gone =
      frozen_outline(loaded(), {}, {}, plan_of({"cp311-plain", "cp311-gone"}));
  REQUIRE_FALSE(gone);
  CHECK(gone.error().kind == ErrorKind::drift);
  CHECK(gone.error().message == "the plan has the variant `cp311-gone`, which `m.yaml` lacks");
}

}  // namespace
}  // namespace pinwheel::prepare
