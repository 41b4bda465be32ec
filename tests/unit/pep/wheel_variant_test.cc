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

TEST_CASE("labels that are written are short") {
  CHECK(check_variant_label("pt213rocm7.1"));
  CHECK(check_variant_label(std::string(16, 'a')));
  for (const std::string& label : {std::string(17, 'a'), std::string("A"), std::string()}) {
    CHECK(check_variant_label(label).error().kind == ErrorKind::config);
  }
}

TEST_CASE("drafts have words") {
  for (const VariantDraft draft : kVariantDrafts) {
    CHECK(parse_variant_draft(to_string(draft)) == draft);
  }
  CHECK_FALSE(parse_variant_draft("pep817"));
}

}  // namespace
}  // namespace pinwheel::pep
