#include "inspect/budget.h"
#include "inspect/size_shares.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeKind;

/// A library of 10000 bytes that take 1000 in the archive, and the parts that are worth leaving
/// out.
WheelFacts measured_facts() {
  WheelFacts facts = native_facts();
  facts.file_size = 2000;
  facts.members.push_back({"demo/_C.so", 10000, 1000, 1, 0, "x"});
  facts.libraries[0].elf.sections = {{".text", 0, 2000},
                                     {".nv_fatbin", 2000, 6000},
                                     {".debug_info", 8000, 1000},
                                     {".bss", 9000, 0}};
  facts.device_code = {{"demo/_C.so", {}}};
  const auto code = [&](CodeKind kind, const std::string& architecture, uint64_t offset,
                        uint64_t size, uint32_t unit) {
    facts.device_code[0].code.push_back(
        {kind, architecture, binary::CodeCompression::none, size, size, {}, unit, offset});
  };
  code(CodeKind::cubin, "sm_90", 2000, 2000, 0);
  code(CodeKind::cubin, "sm_75", 4000, 2000, 0);
  code(CodeKind::ptx, "compute_90", 6000, 2000, 1);
  facts.packing["demo/_C.so"] = {10000, 5000, {0, 400, 1000}};
  return facts;
}

TEST_CASE("a map of the compressed stream is interpolated within its steps") {
  const PackedMap map{25, 10, {0, 100, 300, 310}};
  CHECK(map.packed(0, 25) == 310);
  CHECK(map.packed(0, 10) == 100);
  CHECK(map.packed(5, 10) == 150);
  CHECK(map.packed(20, 5) == 10);
  CHECK(map.packed(20, 500) == 10);
  CHECK(map.packed(UINT64_MAX, 2) == 0);
  CHECK(PackedMap{}.packed(3, 4) == 0);
}

TEST_CASE("bytes are reported by member, section, architecture and unit") {
  const WheelFacts facts = measured_facts();
  const SizeShares shares = size_shares(facts);
  CHECK(shares.members[0].what == "demo/_C.so");
  CHECK(shares.sections == std::vector<SizeShare>{{".nv_fatbin", 6000, 600},
                                                  {".text", 2000, 160},
                                                  {".debug_info", 1000, 120}});
  CHECK(shares.architectures == std::vector<SizeShare>{{"PTX compute_90", 2000, 240},
                                                       {"sm_75", 2000, 200},
                                                       {"sm_90", 2000, 160}});
  CHECK(shares.units == std::vector<UnitSize>{{"demo/_C.so", 0, 4000}, {"demo/_C.so", 1, 2000}});
  WheelFacts unmeasured = facts;
  unmeasured.packing.clear();
  CHECK(size_shares(unmeasured).sections[0] == SizeShare{".nv_fatbin", 6000});
}

TEST_CASE("a budget first cuts what costs users nothing") {
  const WheelFacts facts = measured_facts();
  const BudgetPlan plan = plan_budget(facts, 1500);
  CHECK(plan.cuts == std::vector<Cut>{{"debug information", 120, false},
                                      {"PTX compute_90", 240, true},
                                      {"sm_75", 200, true},
                                      {"sm_90", 160, true}});
  CHECK(plan.needed == 3);
  CHECK(plan.reached);
  CHECK(plan_budget(facts, 2000).needed == 0);
  CHECK(plan_budget(facts, 2000).reached);
  CHECK_FALSE(plan_budget(facts, 1000).reached);
}

TEST_CASE("byte code and second copies can be cut too") {
  WheelFacts facts = native_facts();
  facts.members = {
      {"a.py", 9, 5, 1, 0, "x"}, {"b.py", 9, 5, 1, 0, "x"}, {"c.pyc", 9, 7, 1, 0, "y"}};
  CHECK(plan_budget(facts, 1).cuts ==
        std::vector<Cut>{{"bytecode", 7, false}, {"duplicate files", 5, false}});
}

}  // namespace
}  // namespace pinwheel::inspect
