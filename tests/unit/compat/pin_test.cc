#include "compat/pin.h"

#include "unit/catch.h"

namespace pinwheel::compat {
namespace {

std::vector<ReleaseLoads> releases(const std::vector<std::pair<std::string, bool>>& rows) {
  std::vector<ReleaseLoads> out;
  for (const auto& [version, loads] : rows) out.push_back({*pep::parse_version(version), loads});
  return out;
}

std::vector<std::string> pins(const std::vector<std::pair<std::string, bool>>& rows, PinBy by) {
  std::vector<std::string> out;
  for (const TorchRange& range : loading_ranges(releases(rows), by)) out.push_back(pin(range));
  return out;
}

using Texts = std::vector<std::string>;

TEST_CASE("the classic ABI is pinned by minor releases and always has an end") {
  CHECK(pins({{"2.12.0", false}, {"2.13.0", true}, {"2.13.1", true}}, PinBy::minor) ==
        Texts{"torch>=2.13,<2.14"});
  CHECK(pins({{"2.12.0", true}, {"2.13.0", true}, {"2.14.0", false}}, PinBy::minor) ==
        Texts{"torch>=2.12,<2.14"});
  CHECK(pins({{"1.13.1", true}, {"2.0.0", false}}, PinBy::minor) == Texts{"torch>=1.13,<2.0"});
  CHECK(pins({{"2.13.0", false}}, PinBy::minor).empty());
  CHECK(pins({}, PinBy::minor).empty());
}

TEST_CASE("a minor with a release that does not load does not load") {
  CHECK(pins({{"2.12.0", true}, {"2.13.0", true}, {"2.13.1", false}}, PinBy::minor) ==
        Texts{"torch>=2.12,<2.13"});
}

TEST_CASE("a gap splits ranges, oldest first") {
  CHECK(pins({{"2.10.0", true}, {"2.11.0", false}, {"2.12.0", true}}, PinBy::minor) ==
        Texts{"torch>=2.10,<2.11", "torch>=2.12,<2.13"});
}

TEST_CASE("the Stable ABI is pinned since a release, with an end only if one is known") {
  CHECK(pins({{"2.9.0", false}, {"2.10.0", true}, {"2.11.0", true}}, PinBy::release) ==
        Texts{"torch>=2.10"});
  CHECK(pins({{"2.9.0", false}, {"2.9.1", true}, {"2.10.0", true}}, PinBy::release) ==
        Texts{"torch>=2.9.1"});
  CHECK(pins({{"2.10.0", true}, {"2.11.0", false}}, PinBy::release) == Texts{"torch>=2.10,<2.11"});
}

}  // namespace
}  // namespace pinwheel::compat
