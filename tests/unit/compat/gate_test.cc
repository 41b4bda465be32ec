#include "compat/gate.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

GateResult gated(const inspect::WheelFacts& facts, const std::string& range,
                 const exports::Table& table = torches()) {
  return gate(evaluate(facts, table), *pep::parse_specifiers(range));
}

TEST_CASE("each build of the range that does not load is a finding with its symbol") {
  const GateResult found = gated(wheel_wanting({kNew}), ">=2.11");
  CHECK(found.judged == 4);
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].rule == "undefined-symbols");
  CHECK(found.findings[0].file == "demo/_C.so");
  CHECK(found.findings[0].message ==
        "does not load on torch 2.11.0: `at::new()` is missing (since 2.12.0)");
  CHECK(found.findings[0].evidence == kNew);
  CHECK_FALSE(found.findings[0].hint.empty());
  CHECK(gated(wheel_wanting({kNew}), ">=2.12").findings.empty());
}

TEST_CASE("a range without known builds has no judged builds") {
  CHECK(gated(wheel_wanting({kNew}), ">=2.99").judged == 0);
}

TEST_CASE("several missing symbols are counted") {
  const GateResult found = gated(wheel_wanting({kOld, "_ZN2at5neverEv"}), "==2.13.0");
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].message ==
        "does not load on torch 2.13.0: `at::old()` is missing (until 2.12.0, gone in 2.13.0), and "
        "1 more");
}

TEST_CASE("a build of another kind than the wheel is skipped, but not PyPI's") {
  exports::Snapshot cuda = torch_build("2.13.0", {kNew});
  cuda.libraries.push_back(exports::made_library("libtorch_cuda.so", {}));
  const exports::Table both = table_of({cuda, torch_build("2.13.0+cpu", {kNew})});
  const inspect::WheelFacts wheel =
      wheel_wanting({kNew}, "py3-none-linux_x86_64", {"libtorch.so", "libtorch_cuda.so"});
  CHECK(gated(wheel, ">=2.13", both).judged == 1);
  CHECK(gated(wheel, ">=2.13", both).findings.empty());
  const GateResult plain = gated(wheel, ">=2.13", torches());
  CHECK(plain.findings.size() == 2);
  CHECK(plain.findings[0].message == "does not load on torch 2.13.0: it has no `libtorch_cuda.so`");
}

TEST_CASE("all builds of another kind can be skipped") {
  const inspect::WheelFacts wheel =
      wheel_wanting({kNew}, "py3-none-linux_x86_64", {"libtorch.so", "libtorch_hip.so"});
  const GateResult found =
      gate(evaluate(wheel, torches()), *pep::parse_specifiers(">=2.11"), OtherKinds::none);
  CHECK(found.judged == 0);
  CHECK(found.findings.empty());
}

TEST_CASE(
    "a matrix declares the minor of the classic ABI, and all since the target of the stable ABI") {
  CHECK(pep::to_string(*declared_range("2.13", PinBy::minor)) == "==2.13.*");
  CHECK(pep::to_string(*declared_range("2.13.1", PinBy::minor)) == "==2.13.*");
  CHECK(pep::to_string(*declared_range("2.10", PinBy::release)) == ">=2.10");
  CHECK_FALSE(declared_range("nightly", PinBy::minor));
}

}  // namespace
}  // namespace pinwheel::compat
