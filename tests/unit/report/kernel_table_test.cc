#include "report/kernel_table.h"

#include <nlohmann/json.hpp>

#include "report/difference_report.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::report {
namespace {

inspect::WheelFacts with_kernel(uint32_t registers, const std::string& schema) {
  inspect::WheelFacts facts = inspect::native_facts();
  binary::CubinKernel kernel;
  kernel.name = "_Z5scalePffi";
  kernel.registers = registers;
  kernel.code_size = 640;
  kernel.stack = 8;
  kernel.spills = std::nullopt;
  facts.device_code = {{"demo/_C.so", {{binary::CodeKind::cubin, "sm_90a"}}}};
  facts.device_code[0].kernels = {{"sm_90a", kernel}};
  facts.operators["demo/_C.so"] = {schema};
  return facts;
}

TEST_CASE("a table of kernels shows what each needs") {
  const auto facts = with_kernel(40, "scale(Tensor x) -> Tensor");
  CHECK(kernel_table(facts, KernelRows::first, 0) ==
        "kernel                     arch    registers  stack  spills  shared  code\n"
        "scale(float*, float, int)  sm_90a  40         8      ?       0       640 B\n");
  CHECK(operator_list(facts) == "operators\n  demo/_C.so       scale(Tensor x) -> Tensor\n");
  CHECK(kernel_table(inspect::pure_facts(), KernelRows::all, 0).empty());
  auto many = facts;
  many.device_code[0].kernels.resize(31, many.device_code[0].kernels[0]);
  CHECK(kernel_table(many, KernelRows::first, 0).ends_with("and 1 more; `--all` lists each\n"));
}

TEST_CASE("two wheels are compared by kernels and operators") {
  const auto before = with_kernel(40, "scale(Tensor x) -> Tensor");
  const auto after = with_kernel(64, "scale(Tensor x, float f) -> Tensor");
  const auto found = inspect::difference(before, after, false, {});
  const std::string text = difference_text(before, after, found);
  CHECK_THAT(text, Catch::Contains("+ operator       scale(Tensor x, float f) -> Tensor\n"));
  CHECK_THAT(text, Catch::Contains("- operator       scale(Tensor x) -> Tensor\n"));
  CHECK_THAT(text,
             Catch::Contains(
                 "kernel           scale(float*, float, int) for sm_90a: registers 40 -> 64\n"));
  const nlohmann::json json = nlohmann::json::parse(difference_json(before, after, found));
  CHECK(json["kernels"]["changed"][0]["before"]["registers"] == 40);
  CHECK(json["kernels"]["changed"][0]["after"]["spills"].is_null());
  CHECK(json["kernels"]["changed"][0]["needs_more"] == true);
}

}  // namespace
}  // namespace pinwheel::report
