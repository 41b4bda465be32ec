#include "matrix/gpu_architecture.h"

#include "unit/catch.h"

namespace pinwheel::matrix {
namespace {

std::string hint_for(const std::string& entry, const std::string& family = "cuda") {
  const Done checked = check_architecture(entry, family);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::config);
  return checked.error().hint;
}

TEST_CASE("architectures of NVIDIA and AMD are read, each as compilers name it") {
  for (const auto& [text, name] :
       std::map<std::string, std::string>{{"9.0", "90"},
                                          {"9.0a", "90a"},
                                          {"10.3f", "103f"},
                                          {"12.0+PTX", "120"},
                                          {"10.7", "107"},
                                          {"gfx90a", "gfx90a"},
                                          {"gfx1100", "gfx1100"},
                                          {"gfx9-4-generic", "gfx9-4-generic"},
                                          {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"}}) {
    INFO(text);
    const Result<GpuArchitecture> read = parse_gpu_architecture(text);
    REQUIRE(read);
    CHECK(read->name == name);
    CHECK((read->vendor == GpuArchitecture::Vendor::amd) == text.starts_with("gfx"));
    CHECK((read->ptx == GpuArchitecture::Ptx::too) == text.ends_with("+PTX"));
  }
}

TEST_CASE("an architecture that no GPU has is refused") {
  for (const std::string bad :
       {"", "9", "9.", ".0", "9.3", "0.0", "8.0a", "9.0f", "9.0b", "9.0+ptx", "9.00", "123.0",
        "gfx", "gfx90z", "gfx90a:fast+", "gfx90a:xnack", "gfxx90", "sm_93"}) {
    INFO(bad);
    CHECK_FALSE(parse_gpu_architecture(bad));
  }
}

TEST_CASE("the hint has the correct spelling") {
  CHECK(hint_for("9.0 10.0") == "write a list with an entry for each: [\"9.0\", \"10.0\"]");
  CHECK(hint_for("9.0;10.0+PTX") == "write a list with an entry for each: [\"9.0\", \"10.0+PTX\"]");
  CHECK(hint_for("gfx90a,gfx942", "rocm") ==
        "write a list with an entry for each: [\"gfx90a\", \"gfx942\"]");
  CHECK(hint_for("a b", "xpu") == "write a list with an entry for each: [\"a\", \"b\"]");
  CHECK(hint_for("Ampere;Hopper") ==
        "write a list with an entry for each: [\"8.0\", \"8.6+PTX\", \"9.0+PTX\"]");
  CHECK(hint_for("sm_80, 90 8.0") == "write a list with an entry for each: [\"8.0\", \"9.0\"]");
  CHECK(hint_for("9.0;native").find("the GPU of the build machine") != std::string::npos);
  CHECK(hint_for("Hopper").find("[\"9.0+PTX\"]") != std::string::npos);
  CHECK(hint_for("ampere").find("[\"8.0\", \"8.6+PTX\"]") != std::string::npos);
  CHECK(hint_for("Common").find("a different list in each release of torch") != std::string::npos);
  CHECK(hint_for("All").find("a different list in each release of torch") != std::string::npos);
  CHECK(hint_for("native").find("the GPU of the build machine") != std::string::npos);
  for (const std::string spelling : {"sm_90", "compute_90", "sm90", "90", "SM_90"}) {
    CHECK(hint_for(spelling) == "write `\"9.0\"`");
  }
  CHECK(hint_for("sm_120a") == "write `\"12.0a\"`");
}

TEST_CASE("each family has architectures of its own") {
  CHECK(check_architecture("9.0", ""));
  CHECK(check_architecture("gfx942", "rocm"));
  CHECK(check_architecture("pvc", "xpu"));
  CHECK(check_architecture("gaudi2", "gaudi"));
  CHECK(hint_for("gfx942") == "set it in `overrides`, `when: {compute: \"rocm/*\"}`");
  CHECK(hint_for("9.0", "rocm") == "set it in `overrides`, `when: {compute: \"cuda/*\"}`");
}

}  // namespace
}  // namespace pinwheel::matrix
