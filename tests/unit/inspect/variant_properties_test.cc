#include "inspect/variant_properties.h"

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeCompression;
using binary::CodeKind;

DeviceCodeMember member(const std::string& name, const std::vector<std::string>& architectures) {
  DeviceCodeMember out{name, {}};
  for (const std::string& architecture : architectures) {
    const bool ptx = architecture.starts_with("compute_");
    binary::DeviceCode code{ptx ? CodeKind::ptx : CodeKind::cubin, architecture};
    if (ptx) code.ptx = {8, 7};
    out.code.push_back(code);
  }
  return out;
}

WheelFacts cuda_facts(const std::vector<std::string>& architectures) {
  WheelFacts facts = native_facts();
  facts.libraries = {library("demo/_C.so", {"libcudart.so.12"})};
  facts.device_code = {member("demo/_C.so", architectures)};
  return facts;
}

Texts properties_of(const WheelFacts& facts) {
  const Result<wheel::VariantProperties> properties = variant_properties(facts);
  REQUIRE(properties);
  return wheel::property_lines(*properties);
}

TEST_CASE("properties are those of the device code and its driver") {
  CHECK(properties_of(cuda_facts({"sm_80", "sm_90"})) ==
        Texts{"nvidia :: cuda_version_lower_bound :: 12.0", "nvidia :: sm_arch :: 80_real",
              "nvidia :: sm_arch :: 90_real"});
  // PTX 8.7 needs the driver of CUDA 12.8.
  CHECK(properties_of(cuda_facts({"sm_80", "compute_90"})) ==
        Texts{"nvidia :: cuda_version_lower_bound :: 12.8", "nvidia :: sm_arch :: 80_real",
              "nvidia :: sm_arch :: 90_virtual"});
  CHECK(properties_of(pure_facts()).empty());
}

TEST_CASE("the CUDA release of the build is the oldest driver") {
  WheelFacts facts = cuda_facts({"sm_80"});
  facts.name->version = *pep::parse_version("1.0+cu126");
  CHECK(properties_of(facts).front() == "nvidia :: cuda_version_lower_bound :: 12.6");
  facts.claim.compute = "cuda/12.9.1";
  CHECK(properties_of(facts).front() == "nvidia :: cuda_version_lower_bound :: 12.9");
  facts.claim.compute = "cpu";
  facts.name->version = *pep::parse_version("1.0+cu118");
  CHECK(properties_of(facts).front() == "nvidia :: cuda_version_lower_bound :: 12.0");
  facts.device_code[0].code[0].compression = CodeCompression::zstd;
  CHECK(properties_of(facts).front() == "nvidia :: cuda_version_lower_bound :: 12.4");
}

TEST_CASE("code of one architecture or family is never promised") {
  CHECK(properties_of(cuda_facts({"sm_90", "sm_90a", "sm_100f"})) ==
        Texts{"nvidia :: cuda_version_lower_bound :: 12.0", "nvidia :: sm_arch :: 90_real"});
  for (const std::string architecture : {"sm_90a", "sm_100f", "compute_90a", "compute_86"}) {
    INFO(architecture);
    const Result<wheel::VariantProperties> none = variant_properties(cuda_facts({architecture}));
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::check);
  }
}

TEST_CASE("only architectures that every file has are promised") {
  WheelFacts facts = cuda_facts({"sm_80", "sm_90", "compute_90"});
  facts.device_code.push_back(member("demo/_D.so", {"sm_86", "sm_90"}));
  CHECK(properties_of(facts) ==
        Texts{"nvidia :: cuda_version_lower_bound :: 12.8", "nvidia :: sm_arch :: 86_real",
              "nvidia :: sm_arch :: 90_real", "nvidia :: sm_arch :: 90_virtual"});
}

TEST_CASE("the metadata of a variant names the provider in PEP 850 only") {
  const WheelFacts facts = cuda_facts({"sm_90"});
  const auto read = [&facts](const VariantRequest& request) {
    const Result<std::string> text = variant_json(facts, request);
    REQUIRE(text);
    return *wheel::parse_variant_metadata(*text);
  };
  const wheel::VariantMetadata plugin = read({"cu12", pep::VariantDraft::pep850});
  CHECK(plugin.draft == pep::VariantDraft::pep850);
  CHECK(plugin.providers.at("nvidia").plugin_api ==
        "nvidia_variant_provider.plugin:NvidiaVariantPlugin");
  CHECK(plugin.variants.at("cu12") == *variant_properties(facts));
  const wheel::VariantMetadata format = read({"null", pep::VariantDraft::pep825});
  CHECK(format.draft == pep::VariantDraft::pep825);
  CHECK(format.namespaces == Texts{"nvidia"});
  CHECK(format.variants.at("null").empty());
  CHECK(variant_json(pure_facts(), {"cpu"}).error().message ==
        "`demo_kit-1.0-py3-none-any.whl` has no properties, so it is not the variant `cpu`");
}

TEST_CASE("a wheel for AMD GPUs has no properties that installers know") {
  WheelFacts facts = native_facts();
  facts.device_code = {{"demo/_C.so", {{CodeKind::code_object, "gfx90a"}}}};
  CHECK(variant_properties(facts).error().message ==
        "`demo_kit-1.0-py3-none-manylinux_2_28_x86_64.whl` is for AMD GPUs, for which installers "
        "know no properties");
}

TEST_CASE("values that no GPU matches are recognized") {
  CHECK(sm_value_of("103_real")->minor == 3);
  CHECK(sm_value_of("90_virtual")->form == SmValue::Form::ptx);
  for (const std::string text : {"90", "90a_real", "100f_real", "86_virtual", "9.0_real", "40_real",
                                 "90_other", "_real", "4294967386_real"}) {
    INFO(text);
    CHECK_FALSE(sm_value_of(text));
  }
  CHECK(*driver_bound_of("12") == GpuRelease{GpuStack::cuda, 12});
  CHECK(*driver_bound_of("12.8") == GpuRelease{GpuStack::cuda, 12, 8});
  for (const std::string text : {"", "12.", "12.8.1", "a", "99999.1"}) {
    CHECK_FALSE(driver_bound_of(text));
  }
}

WheelFacts variant_facts(const wheel::VariantProperties& properties,
                         const std::vector<std::string>& architectures) {
  WheelFacts facts = cuda_facts(architectures);
  facts.name->variant = "cu128";
  facts.variant = wheel::VariantMetadata{std::string(wheel::schema_of(pep::VariantDraft::pep850)),
                                         pep::VariantDraft::pep850,
                                         {"nvidia"},
                                         {},
                                         {{"cu128", properties}}};
  return facts;
}

Texts variant_findings(const WheelFacts& facts) {
  Texts out;
  for (const Finding& finding : findings_of(facts, {}, {"variant"})) {
    out.push_back((finding.severity == Severity::error ? "error: " : "warning: ") +
                  to_error(finding).message);
  }
  return out;
}

const std::string kFile = "[variant] `demo_kit-1.0.dist-info/variant.json`: ";

TEST_CASE("a variant whose properties its code keeps has no findings") {
  CHECK(variant_findings(variant_facts({{"nvidia",
                                         {{"cuda_version_lower_bound", {"12.0"}},
                                          {"sm_arch", {"86_real", "90_real"}}}}},
                                       {"sm_80", "sm_90"}))
            .empty());
  CHECK(variant_findings(variant_facts({{"acme", {{"x", {"y"}}}},
                                        {"nvidia", {{"cuda_version_lower_bound", {"13"}}}}},
                                       {"sm_90a"}))
            .empty());
  CHECK(variant_findings(variant_facts({{"nvidia",
                                         {{"cuda_version_lower_bound", {"12.8"}},
                                          {"sm_arch", {"100_real", "90_virtual"}}}}},
                                       {"sm_100f", "compute_80"}))
            .empty());
}

TEST_CASE("properties that the code does not satisfy are errors") {
  CHECK(variant_findings(variant_facts({{"nvidia",
                                         {{"cuda_version_lower_bound", {"11.8"}},
                                          {"sm_arch", {"100_real", "90_real", "90a_real"}}}}},
                                       {"sm_90", "sm_100a"})) ==
        Texts{"error: [variant] `demo/_C.so`: has no code for every GPU that the variant's "
              "`100_real` promises (GPUs 10.0 and later ones of 10.x)",
              "warning: " + kFile + "states the architecture `90a_real`, which no GPU matches",
              "error: " + kFile +
                  "promises that drivers of CUDA `11.8` are new enough, but the wheel needs 525 "
                  "(CUDA 12.0)"});
  CHECK(variant_findings(
            variant_facts({{"nvidia", {{"sm_arch", {"90_virtual"}}}}}, {"compute_90"})) ==
        Texts{"warning: " + kFile +
              "states no oldest driver, although the wheel needs 570 (CUDA 12.8)"});
}

TEST_CASE("the label is that of the file name") {
  WheelFacts facts = variant_facts({{"nvidia", {{"sm_arch", {"90_real"}}}}}, {"sm_90"});
  facts.name->variant = "cu130";
  CHECK(variant_findings(facts) == Texts{"error: " + kFile +
                                         "describes other variants than the file name (`cu128`; "
                                         "file name: `cu130`)"});
  facts.name->variant = "";
  CHECK(variant_findings(facts) ==
        Texts{"error: " + kFile +
              "makes it a wheel variant, but its file name has no label (installers take it for a "
              "wheel that every machine supports)"});
  facts.variant = std::nullopt;
  CHECK(variant_findings(facts).empty());
  facts.name->variant = "cu130";
  CHECK(variant_findings(facts) ==
        Texts{"error: [variant] `demo_kit-1.0-py3-none-manylinux_2_28_x86_64.whl`: has the label "
              "`cu130`, but no `variant.json`"});
  facts.unreadable = {{"variant", "demo_kit-1.0.dist-info/variant.json", "is no JSON"}};
  CHECK(variant_findings(facts) == Texts{"error: " + kFile + "is no JSON"});
}

TEST_CASE("an earlier draft is a warning") {
  WheelFacts facts = variant_facts(
      {{"nvidia", {{"cuda_version_lower_bound", {"12.8"}}, {"sm_arch", {"90_real"}}}}}, {"sm_90"});
  facts.variant->draft = std::nullopt;
  facts.variant->schema = "v0.0.3";
  CHECK(
      variant_findings(facts) ==
      Texts{"warning: " + kFile + "follows a draft that current installers do not read (v0.0.3)"});
}

}  // namespace
}  // namespace pinwheel::inspect
