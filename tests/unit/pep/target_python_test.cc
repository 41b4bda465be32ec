#include "pep/target_python.h"

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TargetPython target(const char* text) {
  const Result<TargetPython> parsed = parse_target_python(text);
  REQUIRE(parsed);
  return *parsed;
}

TagRank rank(const char* tags, const TargetPython& on) {
  const std::optional<TagRank> found = best_rank(*parse_tags(tags), on);
  INFO(tags);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("a machine is an interpreter and the newest platform that it supports") {
  CHECK(target("cp311-manylinux_2_28_x86_64") ==
        TargetPython{{11, false}, "manylinux_2_28_x86_64"});
  CHECK(target("cp313t-musllinux_1_2_aarch64").python.free_threaded);
  CHECK(to_string(target("cp313t-musllinux_1_2_aarch64")) == "cp313t-musllinux_1_2_aarch64");
  for (const char* wrong : {"", "cp311", "cp311-", "cp311-any", "3.11-linux_x86_64", "cp311-a b",
                            "cp312-macosx_14_0_arm64", "pp311-linux_x86_64"}) {
    INFO(wrong);
    const Result<TargetPython> parsed = parse_target_python(wrong);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("tags are preferred in the order of `packaging.tags`") {
  const TargetPython on = target("cp311-manylinux_2_28_x86_64");
  // The order of sys_tags() of packaging 26 for that machine, shortened.
  const std::vector<const char*> order = {"cp311-cp311-manylinux_2_28_x86_64",
                                          "cp311-cp311-manylinux_2_17_x86_64",
                                          "cp311-cp311-manylinux2014_x86_64",
                                          "cp311-cp311-manylinux_2_5_x86_64",
                                          "cp311-cp311-linux_x86_64",
                                          "cp311-abi3-manylinux_2_28_x86_64",
                                          "cp311-none-manylinux_2_28_x86_64",
                                          "cp310-abi3-manylinux_2_28_x86_64",
                                          "cp310-abi3-linux_x86_64",
                                          "cp39-abi3-manylinux_2_28_x86_64",
                                          "py311-none-manylinux_2_28_x86_64",
                                          "py3-none-manylinux_2_28_x86_64",
                                          "py310-none-manylinux_2_28_x86_64",
                                          "py30-none-linux_x86_64",
                                          "cp311-none-any",
                                          "py311-none-any",
                                          "py3-none-any",
                                          "py310-none-any",
                                          "py30-none-any"};
  for (size_t i = 1; i < order.size(); ++i) {
    INFO(order[i - 1] << " before " << order[i]);
    CHECK(rank(order[i - 1], on) < rank(order[i], on));
  }
  CHECK(rank("py2.py3-none-any", on) == rank("py3-none-any", on));
}

TEST_CASE("tags of other machines have no rank") {
  const TargetPython on = target("cp311-manylinux_2_28_x86_64");
  for (const char* tags :
       {"cp312-cp312-manylinux_2_28_x86_64", "cp311-cp311-manylinux_2_34_x86_64",
        "cp311-cp311-manylinux_2_28_aarch64", "cp311-cp311-musllinux_1_2_x86_64",
        "cp312-abi3-manylinux_2_28_x86_64", "py312-none-any", "cp311-cp311-win_amd64"}) {
    INFO(tags);
    CHECK_FALSE(best_rank(*parse_tags(tags), on));
  }
  const TargetPython free = target("cp313t-manylinux_2_28_x86_64");
  CHECK(best_rank(*parse_tags("cp313-cp313t-manylinux_2_28_x86_64"), free));
  CHECK_FALSE(best_rank(*parse_tags("cp313-cp313-manylinux_2_28_x86_64"), free));
  CHECK_FALSE(best_rank(*parse_tags("cp310-abi3-manylinux_2_28_x86_64"), free));
  CHECK(best_rank(*parse_tags("cp311-cp311-win_amd64"), target("cp311-win_amd64")));
}

TEST_CASE("`Requires-Python` is compared with a late release of the minor version") {
  CHECK(to_string(python_release(target("cp311-linux_x86_64"))) == "3.11.99");
}

}  // namespace pinwheel::pep
