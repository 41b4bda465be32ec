#include "host/steps/build_site.h"

#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

std::optional<Location> placed(const Scratch& scratch, host::PathMode mode,
                               const std::string& file) {
  const host::BuildSpace space(scratch.path() / "build", mode, {});
  return host::checkout_place(space, scratch.path() / "checkout", {file, 12, 5, {}});
}

}  // namespace

TEST_CASE("a place in the copied source is one in the checkout") {
  const Scratch scratch;
  const std::string file = scratch.write("checkout/csrc/ops.cc", "x").string();
  for (const char* named : {"csrc/ops.cc", "../csrc/ops.cc", "./csrc/../csrc/ops.cc"}) {
    INFO(named);
    const auto found = placed(scratch, host::PathMode::fixed, named);
    REQUIRE(found);
    CHECK(found->file == file);
    CHECK(found->line == 12);
    CHECK(found->column == 5);
  }
  CHECK(placed(scratch, host::PathMode::fixed, "/tmp/pinwheel-build/src/csrc/ops.cc")->file ==
        file);
  const std::string real = (scratch.path() / "build" / "src" / "csrc" / "ops.cc").string();
  CHECK(placed(scratch, host::PathMode::real, real)->file == file);
}

TEST_CASE("a place elsewhere is not one of the checkout") {
  const Scratch scratch;
  scratch.write("checkout/csrc/ops.cc", "x");
  scratch.write("secret.cc", "x");
  for (const char* named : {"/usr/include/zlib.h", "csrc/made.cc", "csrc", "..", ".",
                            "/tmp/pinwheel-build/src/../../secret.cc", "csrc/../../secret.cc"}) {
    INFO(named);
    CHECK_FALSE(placed(scratch, host::PathMode::fixed, named));
  }
}
