#include "compat/assessment.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

std::string pin_of(const inspect::WheelFacts& facts, const exports::Table& table = torches()) {
  return assess(facts, table).pin;
}

TEST_CASE("the pin names the releases that load") {
  CHECK(pin_of(wheel_wanting({kNew})) == "torch>=2.12,<2.14");
  CHECK(pin_of(wheel_wanting({kOld})) == "torch>=2.11,<2.13");
  CHECK(pin_of(wheel_wanting({kNewShim})) == "torch>=2.13");
  CHECK(pin_of(wheel_wanting({"_ZN2at5neverEv"})).empty());
  CHECK(pin_of(wheel_wanting({}, "cp311-cp311-linux_x86_64", {"libc.so.6"})).empty());
}

TEST_CASE("the pin is the minor that a wheel was built with") {
  inspect::WheelFacts facts = wheel_wanting({kNew});
  facts.claim.torch = "2.13";
  CHECK(pin_of(facts) == "torch>=2.13,<2.14");
  facts.claim.torch = "2.12.0";
  CHECK(pin_of(facts) == "torch>=2.12,<2.13");
}

TEST_CASE("PyPI's build represents a release, or another build if PyPI's is of another kind") {
  exports::Snapshot cuda = torch_build("2.13.0+rocm6.4", {kNew});
  cuda.libraries.push_back(exports::made_library("libtorch_hip.so", {}));
  const exports::Table both = table_of({torch_build("2.13.0", {kNew}), cuda});
  const Texts hip = {"libtorch.so", "libtorch_hip.so"};
  CHECK(pin_of(wheel_wanting({kNew}, "py3-none-linux_x86_64", hip), both) == "torch>=2.13,<2.14");
  const exports::Table differing =
      table_of({torch_build("2.13.0", {}), torch_build("2.13.0+cpu", {kNew})});
  CHECK(pin_of(wheel_wanting({kNew}), differing).empty());
}

TEST_CASE("a wheel whose libraries or METADATA cannot be read is not assessed") {
  inspect::WheelFacts facts = wheel_wanting({kNew});
  CHECK(check_assessable(facts));
  facts.dist_info = "demo-1.0.dist-info";
  facts.unreadable = {{"record", "demo-1.0.dist-info/RECORD", "is too long"}};
  CHECK(check_assessable(facts));
  for (const char* file : {"demo-1.0.dist-info/METADATA", "demo/_C.so"}) {
    facts.unreadable = {{"archive", file, "is larger than a limit"}};
    const Done refused = check_assessable(facts);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::check);
    CHECK(refused.error().message.find("is larger than a limit") != std::string::npos);
  }
}

}  // namespace
}  // namespace pinwheel::compat
