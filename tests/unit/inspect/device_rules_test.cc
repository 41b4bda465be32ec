#include "inspect/arch_list.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

Texts names_of(const std::vector<std::string>& arch_list) {
  const Result<std::vector<Target>> targets = targets_of(arch_list);
  REQUIRE(targets);
  Texts out;
  for (const Target& target : *targets) out.push_back(to_string(target));
  return out;
}

WheelFacts with_code(const std::vector<Target>& held) {
  WheelFacts facts = native_facts();
  facts.device_code = {{"demo/_C.so", {}}};
  for (const Target& target : held) {
    facts.device_code[0].code.push_back({target.kind, target.architecture});
  }
  return facts;
}

Expectations expecting(const std::string& arch_list) {
  Expectations expected;
  expected.arch_list = split_arch_list(arch_list);
  return expected;
}

TEST_CASE("an arch list is read as torch reads it") {
  CHECK(split_arch_list("8.0;9.0a 12.0+PTX,gfx90a") == Texts{"8.0", "9.0a", "12.0+PTX", "gfx90a"});
  CHECK(split_arch_list(" ").empty());
  CHECK(names_of({"7.5", "9.0a", "10.0f", "12.0+PTX"}) ==
        Texts{"PTX compute_120", "sm_100f", "sm_120", "sm_75", "sm_90a"});
  CHECK(names_of({"gfx90a:xnack+", "gfx90a:xnack+"}) == Texts{"gfx90a:xnack+"});
  for (const std::string bad :
       {"Hopper", "9", "9.", ".0", "90", "9.0b", "9.0+ptx", "gfx", "9.00"}) {
    INFO(bad);
    const Result<std::vector<Target>> targets = targets_of({bad});
    REQUIRE_FALSE(targets);
    CHECK(targets.error().kind == ErrorKind::config);
  }
}

TEST_CASE("device code is compared with the claim in both directions") {
  const WheelFacts facts = with_code({{CodeKind::cubin, "sm_80"},
                                      {CodeKind::cubin, "sm_80"},
                                      {CodeKind::cubin, "sm_90a"},
                                      {CodeKind::ptx, "compute_90a"},
                                      {CodeKind::lto_ir, "lto_80"}});
  CHECK(finding_texts(facts).empty());
  CHECK(finding_texts(facts, expecting("8.0;9.0a+PTX")).empty());
  CHECK(finding_texts(facts, expecting("8.0;9.0+PTX")) ==
        Texts{"[device-code] `demo/_C.so`: has no device code for PTX compute_90, sm_90 (has PTX "
              "compute_90a, sm_80, sm_90a; claimed PTX compute_90, sm_80, sm_90)",
              "[device-code] `demo/_C.so`: has device code that was not requested: PTX "
              "compute_90a, sm_90a (has PTX compute_90a, sm_80, sm_90a; claimed PTX compute_90, "
              "sm_80, sm_90)"});
}

TEST_CASE("an object is compared when there is no library") {
  WheelFacts facts = with_code({{CodeKind::cubin, "sm_80"}});
  facts.device_code.push_back({"demo/a.o", {{CodeKind::cubin, "sm_70"}}, CodeForm::object});
  CHECK(finding_texts(facts, expecting("8.0")).empty());
  facts.device_code.erase(facts.device_code.begin());
  const Texts none = finding_texts(facts, expecting("8.0"));
  REQUIRE(none.size() == 1);
  CHECK(none[0].find("has no device code at all") != std::string::npos);
  facts.other_elf = {"demo/a.o"};
  facts.libraries.clear();
  CHECK(finding_texts(facts, expecting("7.0")).empty());
  CHECK(finding_texts(facts, expecting("8.0")).size() == 2);
}

TEST_CASE("HIP targets are compared with their features") {
  const WheelFacts facts = with_code({{CodeKind::code_object, "gfx90a:xnack-"}});
  CHECK(finding_texts(facts, expecting("gfx90a:xnack-")).empty());
  CHECK(finding_texts(facts, expecting("gfx90a")).size() == 2);
}

TEST_CASE("no device code at all is a finding when some was claimed") {
  CHECK(finding_texts(native_facts(), expecting("8.0")) ==
        Texts{"[device-code] `demo_kit-1.0-py3-none-manylinux_2_28_x86_64.whl`: has no device "
              "code at all (claimed sm_80)"});
}

TEST_CASE("the wheel's own record is the claim when nothing was expected") {
  WheelFacts facts = with_code({{CodeKind::cubin, "sm_80"}});
  facts.claim.arch_list = Texts{};
  CHECK(finding_texts(facts).size() == 1);
  facts.claim.arch_list = Texts{"8.0"};
  CHECK(finding_texts(facts).empty());
  CHECK(finding_texts(facts, expecting("9.0")).size() == 2);
  facts.claim.arch_list = Texts{"eight"};
  CHECK(finding_texts(facts).size() == 1);
}

}  // namespace
}  // namespace pinwheel::inspect
