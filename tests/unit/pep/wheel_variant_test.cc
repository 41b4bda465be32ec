#include "pep/wheel_variant.h"

#include "unit/catch.h"

namespace pinwheel::pep {
namespace {

TEST_CASE("labels, names and values of variants have their own characters") {
  CHECK(is_variant_label("cu130"));
  CHECK(is_variant_label("x86_64.v3"));
  CHECK_FALSE(is_variant_label(""));
  CHECK_FALSE(is_variant_label("CU130"));
  CHECK_FALSE(is_variant_label("cu-130"));
  CHECK(is_variant_name("cuda_version_lower_bound"));
  CHECK_FALSE(is_variant_name("cuda.version"));
  CHECK_FALSE(is_variant_name(""));
  CHECK(is_variant_value("12.8"));
  CHECK_FALSE(is_variant_value("12,8"));
  CHECK(to_string(VariantProperty{"nvidia", "sm_arch", "90_real"}) ==
        "nvidia :: sm_arch :: 90_real");
}

TEST_CASE("drafts have words") {
  CHECK(to_string(VariantDraft::pep850) == "pep850");
  CHECK(to_string(VariantDraft::pep825) == "pep825");
}

}  // namespace
}  // namespace pinwheel::pep
