#include "compat/torch_bounds.h"

#include <memory>

#include "compat/gate.h"
#include "unit/compat/demo_wheel.h"

using namespace pinwheel;
using namespace pinwheel::compat;

namespace {

/// The findings for a wheel with these symbols and this requirement.
std::vector<inspect::Finding> found(const Texts& symbols, const std::string& requirement) {
  inspect::WheelFacts facts = wheel_wanting(symbols);
  facts.metadata =
      *wheel::parse_metadata("Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n" + requirement);
  const auto table = std::make_shared<const exports::Table>(torches());
  return judge_torch_bounds(table)(facts);
}

}  // namespace

TEST_CASE("a requirement must not allow a release that does not load the wheel") {
  CHECK(found({kNew}, "Requires-Dist: torch>=2.12,<2.14\n").empty());
  const std::vector<inspect::Finding> wide = found({kNew}, "Requires-Dist: torch<2.14\n");
  REQUIRE(wide.size() == 1);
  CHECK(wide[0].file == "demo_kit-1.0.dist-info/METADATA");
  CHECK(wide[0].message ==
        "requires `torch<2.14`, which allows torch 2.11.0, where it does not load");
  CHECK(wide[0].evidence.starts_with("torch 2.11.0: `at::new()` is missing"));
  CHECK(wide[0].hint.starts_with("require `torch>=2.12,<2.14`"));
  CHECK(found({kOld}, "Requires-Dist: torch>=2.11,<2.14\n").size() == 1);
}

TEST_CASE("the C++ ABI ends with a minor release, the Stable ABI does not") {
  const std::vector<inspect::Finding> open = found({kNew}, "Requires-Dist: torch>=2.12\n");
  REQUIRE(open.size() == 1);
  CHECK(open[0].message.find("allows releases after 2.13.1") != std::string::npos);
  CHECK(found({kNew}, "Requires-Dist: torch>=2.12,<3\n").size() == 1);
  CHECK(found({kShim}, "Requires-Dist: torch>=2.11\n").empty());
  CHECK(found({kNewShim}, "Requires-Dist: torch>=2.12\n").size() == 1);
  CHECK(found({kNewShim}, "Requires-Dist: torch>=2.13\n").empty());
}

TEST_CASE("without a requirement on torch there are no bounds") {
  CHECK(found({kNew}, "").empty());
  CHECK(found({kNew}, "Requires-Dist: torch>=2.0; extra == \"gpu\"\n").empty());
}

TEST_CASE("a wheel with a copy of torch's library loads beside no torch") {
  inspect::WheelFacts facts = wheel_wanting({});
  facts.libraries.push_back(inspect::library("demo.libs/libtorch-1a2b3c4d.so"));
  const TorchVerdicts torch = evaluate(facts, torches());
  CHECK(torch.use == TorchUse::classic);
  REQUIRE_FALSE(torch.builds.empty());
  for (const BuildVerdict& build : torch.builds) {
    CHECK(build.verdict == Verdict::no);
    CHECK(why_not(build, torch).find("`demo.libs/libtorch-1a2b3c4d.so`") != std::string::npos);
  }
}
