#include "compat/paragraph.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

TEST_CASE("the paragraph tells claim, truth and pin") {
  inspect::WheelFacts facts = wheel_wanting({kNew});
  facts.claim.torch = "2.13";
  CHECK(paragraph(assess(facts, torches())) ==
        "Its metadata asks for `torch>=2.10`, its tags say CPython 3.11. It uses torch's C++ ABI, "
        "which holds within one minor release. It loads on 2.12.0, 2.13.0, 2.13.1, not on 2.11.0. "
        "Torch 2.11.0: `at::new()` is missing (since 2.12.0). It was built with torch 2.13. Pin "
        "`torch>=2.13,<2.14`.");
}

TEST_CASE("the paragraph of the Stable ABI names its first release") {
  CHECK(paragraph(assess(wheel_wanting({kNewShim}), torches()))
            .find("keeps to torch's Stable ABI, whose functions it finds from torch 2.13.0 on. It "
                  "loads on 2.13.0, 2.13.1, not on 2.11.0, 2.12.0.") != std::string::npos);
}

TEST_CASE("the paragraph says what is not known") {
  CHECK(paragraph(assess(wheel_wanting({kNew}), {})).find("No known build of torch") !=
        std::string::npos);
  CHECK(paragraph(assess(wheel_wanting({kNew}), torches())).find("is not recorded") !=
        std::string::npos);
  CHECK(paragraph(assess(wheel_wanting({}, "py3-none-linux_x86_64", {"libc.so.6"}), torches())) ==
        "Its metadata asks for `torch>=2.10`, its tags say any Python 3. Its libraries use nothing "
        "of torch.");
}

}  // namespace
}  // namespace pinwheel::compat
