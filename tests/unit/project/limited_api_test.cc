#include "project/limited_api.h"

#include <set>

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("each backend has its own way to the limited API and to no ABI at all") {
  std::set<std::string> fixes;
  std::set<std::string> without;
  for (const Backend backend : {Backend::setuptools, Backend::scikit_build_core,
                                Backend::meson_python, Backend::maturin, Backend::other}) {
    fixes.insert(limited_api_fix(backend, 10));
    without.insert(no_abi_fix(backend));
    CHECK(limited_api_fix(backend, 10).find("10") != std::string::npos);
  }
  CHECK(fixes.size() == 5);
  CHECK(without.size() == 5);
  CHECK(limited_api_fix(Backend::setuptools, 10).find("0x030a0000") != std::string::npos);
  CHECK(limited_api_fix(Backend::hatchling, 11) == limited_api_fix(Backend::other, 11));
}

}  // namespace
}  // namespace pinwheel::project
