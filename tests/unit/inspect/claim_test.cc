#include "inspect/claim.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::inspect;

namespace {

using Ids = std::vector<std::string>;

Result<Claim> claimed(const std::string& architectures, const std::string& built_with) {
  return claim_of(R"({"architectures": )" + architectures + R"(, "built-with": )" + built_with +
                  R"(, "variants": ["a", "b"]})");
}

}  // namespace

TEST_CASE("a build record claims its architectures, a GPU build without any makes no claim") {
  CHECK(*claimed(R"(["8.0", "9.0"])", R"({"compute": "cuda/13.0"})")->arch_list ==
        Ids{"8.0", "9.0"});
  CHECK(claimed("[]", R"({"compute": "cpu"})")->arch_list->empty());
  CHECK_FALSE(claimed("[]", R"({"compute": "cuda/13.0"})")->arch_list.has_value());
  CHECK_FALSE(claimed(R"(["pvc"])", R"({"compute": "xpu"})")->arch_list.has_value());
}

TEST_CASE("a build record has the torch it was built with, and the variants it serves") {
  const Result<Claim> claim = claimed("[]", R"({"compute": "cpu", "torch": "2.13"})");
  REQUIRE(claim);
  CHECK(claim->torch == "2.13");
  CHECK(claim->variants == Ids{"a", "b"});
  CHECK_FALSE(claimed("[]", R"({"compute": "cpu", "torch": ""})")->torch);
  CHECK(claim_of(R"({"architectures": [], "built-with": {"compute": "cpu"}})")->variants.empty());
}

TEST_CASE("text that is not a build record is a failed check") {
  for (const std::string text : {"{", "3", "{}", R"({"architectures": 3, "built-with": {}})",
                                 R"({"architectures": [], "built-with": {}})"}) {
    const Result<Claim> claim = claim_of(text);
    REQUIRE_FALSE(claim);
    CHECK(claim.error().kind == ErrorKind::check);
  }
}
