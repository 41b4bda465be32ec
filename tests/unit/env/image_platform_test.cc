#include "env/image_platform.h"

#include "unit/catch.h"

using namespace pinwheel::env;

TEST_CASE("images use Go's names for machines", "[env][container]") {
  CHECK(image_architecture("x86_64") == "amd64");
  CHECK(image_architecture("aarch64") == "arm64");
  CHECK(image_architecture("riscv64") == "riscv64");
}

TEST_CASE("an engine gets a platform only for an image of another machine", "[env][container]") {
  CHECK(foreign_platform("arm64", "x86_64") == "linux/arm64");
  CHECK(foreign_platform("amd64", "x86_64").empty());
  CHECK(foreign_platform("amd64", "aarch64") == "linux/amd64");
  CHECK(foreign_platform("", "x86_64").empty());
}
