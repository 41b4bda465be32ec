#include "project/abi_macros.h"

#include "unit/catch.h"

namespace pinwheel::project {
namespace {

TEST_CASE("macros in every form that build files and sources use") {
  CHECK(limited_api_macro("#define Py_LIMITED_API 0x030A0000") == "3.10");
  CHECK(limited_api_macro("('Py_LIMITED_API', '0x03090000')") == "3.9");
  CHECK(limited_api_macro("-DPy_LIMITED_API=0x03080000 -DPy_LIMITED_API=0x030c0000") == "3.12");
  CHECK(limited_api_macro("#define Py_LIMITED_API 3").empty());
  CHECK(limited_api_macro("#ifdef Py_LIMITED_API\n").empty());
  CHECK(limited_api_macro("Py_LIMITED_API").empty());
  CHECK(torch_target_macro("-DTORCH_TARGET_VERSION=0x020a000000000000") == "2.10");
  CHECK(torch_target_macro("#define TORCH_TARGET_VERSION ((0x20a000000000000ULL))") == "2.10");
}

}  // namespace
}  // namespace pinwheel::project
