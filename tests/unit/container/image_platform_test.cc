#include "container/container_image.h"

#include "unit/catch.h"

using namespace pinwheel::container;

TEST_CASE("images use Go's names for machines", "[env][container]") {
  CHECK(container::image_architecture("x86_64") == "amd64");
  CHECK(container::image_architecture("aarch64") == "arm64");
  CHECK(container::image_architecture("riscv64") == "riscv64");
}

TEST_CASE("an engine gets a platform only for an image of another machine", "[env][container]") {
  CHECK(container::foreign_platform("arm64", "x86_64") == "linux/arm64");
  CHECK(container::foreign_platform("amd64", "x86_64").empty());
  CHECK(container::foreign_platform("amd64", "aarch64") == "linux/amd64");
  CHECK(container::foreign_platform("", "x86_64").empty());
}
