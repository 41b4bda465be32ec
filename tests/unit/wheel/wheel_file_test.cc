#include "wheel/wheel_file.h"

#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

const std::string kText =
    "Wheel-Version: 1.0\nGenerator: some 1\nRoot-Is-Purelib: false\nTag: cp310-abi3-linux_x86_64\n"
    "Tag: cp311-abi3-linux_x86_64\nBuild: 1\n";

TEST_CASE("the WHEEL file has its version, generator, root and tags") {
  const auto file = parse_wheel_file(kText);
  REQUIRE(file);
  CHECK(file->wheel_version() == "1.0");
  CHECK(file->block.get("Generator").value_or("") == "some 1");
  CHECK(file->root == RootIs::platlib);
  CHECK(file->tags() ==
        std::vector<std::string>{"cp310-abi3-linux_x86_64", "cp311-abi3-linux_x86_64"});
  CHECK(to_string(*file) == kText);
}

TEST_CASE("new tags are placed at the position of the first tag") {
  auto file = parse_wheel_file(kText);
  REQUIRE(file);
  set_tags(*file, {"cp310-abi3-manylinux_2_28_x86_64"});
  CHECK(to_string(*file) ==
        "Wheel-Version: 1.0\nGenerator: some 1\nRoot-Is-Purelib: false\n"
        "Tag: cp310-abi3-manylinux_2_28_x86_64\nBuild: 1\n");
}

TEST_CASE("a WHEEL file of another version, without a root or without tags is rejected") {
  for (const std::string text :
       {"", "Wheel-Version: 2.0\nRoot-Is-Purelib: true\nTag: a-b-c\n",
        "Wheel-Version: 1.0\nTag: a-b-c\n", "Wheel-Version: 1.0\nRoot-Is-Purelib: no\nTag: a-b-c\n",
        "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n", "nonsense"}) {
    INFO(text);
    const auto file = parse_wheel_file(text);
    REQUIRE_FALSE(file);
    CHECK(file.error().kind == ErrorKind::check);
  }
}

}  // namespace
}  // namespace pinwheel::wheel
