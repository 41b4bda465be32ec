#include "compat/paragraph.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

TEST_CASE("the paragraph has claim, finding and pin") {
  inspect::WheelFacts facts = wheel_wanting({kNew});
  facts.claim.torch = "2.13";
  CHECK(paragraph(assess(facts, torches())) ==
        "Its metadata requires `torch>=2.10`, its tags say CPython 3.11. It uses torch's C++ ABI, "
        "which is stable only within a minor release. It loads on 2.12.0, 2.13.0, 2.13.1, not on "
        "2.11.0. "
        "Torch 2.11.0: `at::new()` is missing (since 2.12.0). It was built with torch 2.13. Pin "
        "`torch>=2.13,<2.14`.");
}

TEST_CASE("the paragraph of the Stable ABI names its first release") {
  CHECK(paragraph(assess(wheel_wanting({kNewShim}), torches()))
            .find("uses only torch's Stable ABI, with functions available since torch 2.13.0. It "
                  "loads on 2.13.0, 2.13.1, not on 2.11.0, 2.12.0.") != std::string::npos);
}

TEST_CASE("the paragraph states what is unknown") {
  CHECK(paragraph(assess(wheel_wanting({kNew}), {})).find("No known build of torch") !=
        std::string::npos);
  CHECK(paragraph(assess(wheel_wanting({kNew}), torches())).find("is not recorded") !=
        std::string::npos);
  CHECK(paragraph(assess(wheel_wanting({}, "py3-none-linux_x86_64", {"libc.so.6"}), torches())) ==
        "Its metadata requires `torch>=2.10`, its tags say any Python 3. Its libraries do not use "
        "torch.");
}

}  // namespace
}  // namespace pinwheel::compat
