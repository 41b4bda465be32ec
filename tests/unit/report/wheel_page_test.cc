#include "report/wheel_page.h"

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;
using Json = nlohmann::ordered_json;

namespace {

inspect::WheelFacts made_wheel() {
  inspect::WheelFacts facts;
  facts.file_name = "demo-1.0-py3-none-any.whl";
  facts.file_size = 600;
  facts.members = {{"demo/a.so", 1000, 500, 0, 0, "x"}, {"demo/b.py", 50, 20, 0, 0, "y"}};
  inspect::ElfMember library{"demo/a.so", {}};
  library.elf.machine = 62;
  library.elf.sections = {
      {".text", 64, 100}, {".nv_fatbin", 164, 600}, {".bss", 764, 0}, {".debug_info", 764, 200}};
  facts.libraries = {library};
  binary::DeviceCode first{binary::CodeKind::cubin, "sm_90a"};
  first.stored_size = 200;
  first.offset = 164;
  first.size = 500;
  binary::DeviceCode second = first;
  second.offset = 364;
  binary::DeviceCode ptx{binary::CodeKind::ptx, "compute_90"};
  ptx.stored_size = 100;
  ptx.offset = 564;
  facts.device_code = {{"demo/a.so", {first, second, ptx}}};
  return facts;
}

Json named(const Json& list, const std::string& name) {
  for (const Json& each : list) {
    if (each["name"] == name) return each;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the page of a wheel divides libraries into sections and architectures") {
  const Json page = report::wheel_page(made_wheel(), {}, {});
  CHECK(page["measure"] == "bytes");
  CHECK(page["budget"].is_null());
  CHECK(page["files"][1] == Json::parse(R"({"name": "demo/b.py", "bytes": 50, "packed": 20})"));
  REQUIRE(page["libraries"].size() == 1);
  const Json& sections = page["libraries"][0]["sections"];
  CHECK(sections.size() == 3);  // .bss has no bytes in the file
  CHECK(named(sections, ".text")["code"] == Json::array());
  CHECK(named(sections, ".debug_info")["debug"] == true);
  const Json code = named(sections, ".nv_fatbin")["code"];
  CHECK(named(code, "sm_90a") ==
        Json::parse(R"({"name": "sm_90a", "bytes": 400, "packed": null, "pieces": 2,
                          "unpacked": 1000, "kernels": []})"));
  CHECK(named(code, "PTX compute_90")["bytes"] == 100);
}

TEST_CASE("with sizes in the archive, the page has what a budget could remove") {
  inspect::WheelFacts facts = made_wheel();
  facts.packing["demo/a.so"] = {1000, 500, {0, 250, 500}};
  inspect::Expectations expected;
  const Json page = report::wheel_page(facts, expected, {});
  CHECK(page["measure"] == "packed");
  CHECK(page["budget"]["limit"].is_null());
  std::vector<std::string> cuts;
  for (const Json& cut : page["budget"]["cuts"]) cuts.push_back(cut["what"]);
  CHECK(cuts == std::vector<std::string>{"debug information", "PTX compute_90", "sm_90a"});
  CHECK(named(page["libraries"][0]["sections"], ".nv_fatbin")["packed"] == 300);
  expected.budget = 450;
  CHECK(report::wheel_page(facts, expected, {})["budget"]["limit"] == 450);
}

TEST_CASE("bytes that are not UTF-8 do not break the page of a wheel") {
  inspect::WheelFacts facts = made_wheel();
  facts.members.push_back({"demo/\xff</script>", 1, 1, 0, 0, "z"});
  const Json page = report::wheel_page(facts, {}, {});
  CHECK_NOTHROW(page.dump(-1, ' ', true, Json::error_handler_t::replace));
}

TEST_CASE("the page of a wheel has the largest kernels once, where their code is") {
  inspect::WheelFacts facts = made_wheel();
  binary::CubinKernel kernel;
  kernel.name = "_Z5scalePf";
  kernel.registers = 12;
  kernel.spills = std::nullopt;
  for (uint64_t size = 1; size <= 2100; ++size) {
    kernel.code_size = size;
    facts.device_code[0].kernels.push_back({"sm_90a", kernel});
  }
  const Json page = report::wheel_page(facts, {}, {});
  size_t sections_with_kernels = 0;
  for (const Json& section : page["libraries"][0]["sections"]) {
    const Json code = named(section["code"], "sm_90a");
    if (code.is_null()) continue;
    ++sections_with_kernels;
    REQUIRE(code["kernels"].size() == 2000);
    const Json largest = {{"name", "scale(float*)"}, {"bytes", 2100},
                          {"registers", 12},         {"stack", 0},
                          {"spills", nullptr},       {"shared", 0}};
    CHECK(code["kernels"][0] == largest);
    CHECK(code["kernels"][1999]["bytes"] == 101);
  }
  CHECK(sections_with_kernels == 1);
}
