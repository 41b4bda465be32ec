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

TEST_CASE("the record of a derived wheel has the original, and may state nothing else") {
  const Result<std::string> alone = with_origin("", {"a-1+cu130-py3-none-any.whl", "ab12"});
  REQUIRE(alone);
  CHECK(alone->find(R"("derived-from")") != std::string::npos);
  CHECK(alone->find(R"("sha256": "ab12")") != std::string::npos);
  const Result<Claim> nothing = claim_of(*alone);
  REQUIRE(nothing);
  CHECK_FALSE(nothing->arch_list);
  const Result<std::string> extended = with_origin(
      R"({"architectures": [], "built-with": {"compute": "cpu"}, "variants": ["a"]})", {"b", "c"});
  REQUIRE(extended);
  CHECK(claim_of(*extended)->variants == Ids{"a"});
  CHECK(claim_of(*extended)->arch_list->empty());
  // Derived twice: the first origin is kept.
  CHECK(with_origin(*alone, {"b", "c"})->find("a-1+cu130") != std::string::npos);
  for (const char* const text : {"{", "3", "[]"}) {
    const Result<std::string> failed = with_origin(text, {"a", "b"});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().kind == ErrorKind::check);
  }
}
