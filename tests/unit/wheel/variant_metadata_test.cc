#include "wheel/variant_metadata.h"

#include "base/text.h"
#include "unit/catch.h"

namespace pinwheel::wheel {
namespace {

using pep::VariantDraft;

/// As variantlib 0.2.2 writes it, without its newlines.
const std::string kPlugin =
    R"({"$schema": "https://variants-schema.wheelnext.dev/v0.2.0.json",)"
    R"("default-priorities": {"namespace": ["nvidia"]},)"
    R"("providers": {"nvidia": {"plugin-api": "nvidia_variant_provider.plugin:NvidiaVariantPlugin",)"
    R"("requires": ["nvidia-variant-provider>=0.0.1"]}},)"
    R"("variants": {"cu126": {"nvidia": {"cuda_version_lower_bound": ["12.6"],)"
    R"("sm_arch": ["90_real", "100_real"]}}}})";
const std::string kFormat =
    R"({"$schema": "https://variants-schema.wheelnext.dev/peps/825/v0.1.1.json",)"
    R"("default-priorities": {"namespace": ["nvidia"]}, "variants": {"null": {}}})";

std::string fault_in(std::string text, std::string_view from, std::string_view to) {
  const std::string changed = replace_all(std::move(text), from, to);
  const Result<VariantMetadata> metadata = parse_variant_metadata(changed);
  REQUIRE_FALSE(metadata);
  CHECK(metadata.error().kind == ErrorKind::check);
  constexpr std::string_view kStart = "the metadata of the wheel variant is invalid: ";
  return metadata.error().message.substr(kStart.size());
}

TEST_CASE("the metadata of a variant is read and written back") {
  const Result<VariantMetadata> metadata = parse_variant_metadata(kPlugin);
  REQUIRE(metadata);
  CHECK(metadata->draft == VariantDraft::pep850);
  CHECK(metadata->namespaces == std::vector<std::string>{"nvidia"});
  CHECK(metadata->providers.at("nvidia").requirements ==
        std::vector<std::string>{"nvidia-variant-provider>=0.0.1"});
  CHECK(property_lines(metadata->variants.at("cu126")) ==
        std::vector<std::string>{"nvidia :: cuda_version_lower_bound :: 12.6",
                                 "nvidia :: sm_arch :: 100_real", "nvidia :: sm_arch :: 90_real"});
  CHECK(*parse_variant_metadata(to_string(*metadata)) == *metadata);
  CHECK(to_string(*metadata).find("    \"$schema\": ") != std::string::npos);
}

TEST_CASE("PEP 825 has no providers") {
  const Result<VariantMetadata> metadata = parse_variant_metadata(kFormat);
  REQUIRE(metadata);
  CHECK(metadata->draft == VariantDraft::pep825);
  CHECK(metadata->variants.at("null").empty());
  CHECK(to_string(*metadata).find("providers") == std::string::npos);
  CHECK(*parse_variant_metadata(to_string(*metadata)) == *metadata);
  CHECK(fault_in(kFormat, R"("variants": )", R"("providers": {}, "variants": )") ==
        "`providers` of the file is not known");
}

TEST_CASE("of an earlier draft the properties are read") {
  std::string text = replace_all(kPlugin, "v0.2.0", "v0.0.3");
  text = replace_all(text, R"("requires")", R"("enable-if": "x", "requires")");
  const Result<VariantMetadata> metadata = parse_variant_metadata(text);
  REQUIRE(metadata);
  CHECK_FALSE(metadata->draft);
  CHECK(metadata->providers.empty());
  CHECK(metadata->variants.contains("cu126"));
}

TEST_CASE("every rule of the drafts is checked") {
  CHECK(fault_in("3", "", "") == "it is not a JSON object");
  CHECK(fault_in(kPlugin, "$schema", "schema") == "`$schema` is missing");
  CHECK(fault_in(kPlugin, R"("default-priorities")", R"("more": 1, "default-priorities")") ==
        "`more` of the file is not known");
  CHECK(fault_in(kPlugin, R"(["nvidia"])", "[]") == "`namespace` is not a list of texts");
  CHECK(fault_in(kPlugin, R"(["nvidia"])", R"(["nvidia", "amd"])") == "`amd` has no provider");
  CHECK(fault_in(kPlugin, R"("providers": {)", R"("providers": {"amd": {"builtin": "x"}, )") ==
        "`providers` has more namespaces than `default-priorities`");
  CHECK(fault_in(kPlugin, R"("requires")", R"("enable-if": "x", "requires")") ==
        "`enable-if` of the provider `nvidia` is not known");
  CHECK(fault_in(kPlugin, R"("requires")", R"("builtin": "x", "requires")") ==
        "the provider `nvidia` needs one of `requires`, `static-properties` and `builtin`");
  CHECK(fault_in(kPlugin, "cu126", "CU126") == "`CU126` is not a label");
  CHECK(fault_in(kPlugin, "cu126", "null") == "the variant `null` has properties");
  CHECK(fault_in(kPlugin, "90_real", "100_real") == "`sm_arch` has `100_real` twice");
  CHECK(fault_in(kPlugin, "90_real", "9-0") == "`9-0` is not allowed in `sm_arch`");
  CHECK(fault_in(kPlugin, R"({"nvidia": {"cuda)", R"({"amd": {"cuda)") ==
        "`amd` is missing from `default-priorities`");
  CHECK(fault_in(kFormat, R"("null": {})", "") == "it has no variants");
  CHECK(fault_in(kFormat, "null", "cpu") == "the variant `cpu` has no properties");
}

TEST_CASE("static properties need an order of their features") {
  const std::string text =
      replace_all(kFormat, R"("variants")",
                  R"("providers": {"nvidia": {"static-properties": {"a": ["2", "1"], "b": ["x"]},)"
                  R"("feature-order": ["b", "a"], "optional": true}}, "variants")");
  const std::string changed = replace_all(text, "825/v0.1.1", "850/v0.2.0");
  const Result<VariantMetadata> metadata = parse_variant_metadata(changed);
  REQUIRE(metadata);
  const VariantProvider& provider = metadata->providers.at("nvidia");
  CHECK(provider.static_properties.at("a") == std::vector<std::string>{"2", "1"});
  CHECK(provider.optional == true);
  CHECK(*parse_variant_metadata(to_string(*metadata)) == *metadata);
  CHECK(fault_in(changed, R"(["b", "a"])", R"(["b"])") ==
        "`feature-order` of the provider `nvidia` does not name all of its features");
}

TEST_CASE("metadata that is too long is refused") {
  CHECK(parse_variant_metadata(std::string(1'000'001, ' ')).error().message ==
        "the file is larger than the limit of 1.0 MB for the metadata of wheel variants");
}

}  // namespace
}  // namespace pinwheel::wheel
