#include "inspect/gpu_support.h"

#include "inspect/driver.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

using binary::CodeCompression;
using binary::CodeKind;

std::string_view cubin_on(const std::string& architecture, std::string_view gpu) {
  return to_string(support_by({CodeKind::cubin, architecture}, gpu));
}
std::string_view ptx_on(const std::string& architecture, std::string_view gpu) {
  return to_string(support_by({CodeKind::ptx, architecture}, gpu));
}
std::string_view object_on(const std::string& architecture, std::string_view gpu) {
  return to_string(support_by({CodeKind::code_object, architecture}, gpu));
}

TEST_CASE("machine code runs on later minor versions of its major version") {
  CHECK(cubin_on("sm_80", "8.0") == "native");
  CHECK(cubin_on("sm_80", "8.9") == "native");
  CHECK(cubin_on("sm_86", "8.0") == "none");
  CHECK(cubin_on("sm_80", "9.0") == "none");
  CHECK(cubin_on("sm_120", "12.1") == "native");
  CHECK(cubin_on("sm_100", "12.0") == "none");
}

TEST_CASE("architecture-specific code runs on one architecture, family code on a family") {
  CHECK(cubin_on("sm_90a", "9.0") == "native");
  CHECK(cubin_on("sm_100a", "10.3") == "none");
  CHECK(cubin_on("sm_100f", "10.3") == "native");
  CHECK(cubin_on("sm_103f", "10.0") == "none");
  CHECK(cubin_on("sm_100f", "12.0") == "none");
  CHECK(ptx_on("compute_90a", "10.0") == "none");
  CHECK(ptx_on("compute_90a", "9.0") == "ptx");
  CHECK(ptx_on("compute_100f", "10.3") == "ptx");
  CHECK(ptx_on("compute_100f", "12.0") == "none");
}

TEST_CASE("PTX runs on everything later") {
  CHECK(ptx_on("compute_80", "8.0") == "ptx");
  CHECK(ptx_on("compute_80", "12.1") == "ptx");
  CHECK(ptx_on("compute_90", "8.9") == "none");
}

TEST_CASE("AMD code runs on its target or the targets of a generic one") {
  CHECK(object_on("gfx90a", "gfx90a") == "native");
  CHECK(object_on("gfx90a:xnack+", "gfx90a") == "native");
  CHECK(object_on("gfx90a", "gfx942") == "none");
  CHECK(object_on("gfx11-generic", "gfx1101") == "native");
  CHECK(object_on("gfx11-generic", "gfx1201") == "none");
  CHECK(object_on("gfx942", "9.4") == "none");
}

TEST_CASE("other code and invalid names run nowhere") {
  CHECK(to_string(support_by({CodeKind::lto_ir, "lto_90"}, "9.0")) == "none");
  CHECK(cubin_on("sm_x", "9.0") == "none");
  CHECK(cubin_on("", "9.0") == "none");
}

TEST_CASE("a wheel runs on a product as its worst library does") {
  WheelFacts facts = native_facts();
  CHECK(product_support(facts).empty());
  facts.device_code = {{"a.so", {{CodeKind::cubin, "sm_80"}, {CodeKind::ptx, "compute_80"}}},
                       {"b.so", {{CodeKind::cubin, "sm_90a"}}}};
  const std::vector<ProductSupport> products = product_support(facts);
  const auto support_of = [&](std::string_view name) {
    for (const ProductSupport& each : products) {
      if (each.product.name == name)
        return std::string(to_string(each.support)) + " " + each.files[0];
    }
    return std::string();
  };
  CHECK(support_of("A100") == "none b.so");
  CHECK(support_of("H100") == "ptx a.so");
  CHECK(support_of("T4") == "none a.so");
  CHECK(support_of("Instinct MI300X").empty());
  // Objects that are not linked count if there is nothing else.
  facts.device_code = {{"a.so", {{CodeKind::cubin, "sm_80"}}},
                       {"b.o", {{CodeKind::cubin, "sm_70"}}, CodeForm::object}};
  CHECK(product_support(facts).front().files == Texts{"a.so"});
  facts.libraries.clear();
  CHECK(product_support(facts).front().files == Texts{"a.so", "b.o"});
  facts.device_code = {{"c.so", {{CodeKind::code_object, "gfx942"}}}};
  CHECK(product_support(facts).front().product.name == "Radeon VII");
}

TEST_CASE("products are listed once") {
  std::vector<std::string_view> names;
  for (const GpuProduct& product : gpu_products()) {
    CHECK(std::find(names.begin(), names.end(), product.name) == names.end());
    names.push_back(product.name);
  }
}

TEST_CASE("PTX needs the driver of the CUDA release that introduced its version") {
  const auto release = [](uint16_t major, uint16_t minor) {
    return to_string(release_of_ptx({major, minor}));
  };
  CHECK(release(6, 0) == "CUDA 9.0");
  CHECK(release(6, 5) == "CUDA 10.2");
  CHECK(release(7, 8) == "CUDA 11.8");
  CHECK(release(8, 5) == "CUDA 12.5");
  CHECK(release(8, 6) == "CUDA 12.7");
  CHECK(release(8, 8) == "CUDA 12.9");
  CHECK(release(9, 1) == "CUDA 13.1");
  CHECK(driver_text(release_of_ptx({8, 7})) == "570 (CUDA 12.8)");
  CHECK(driver_text(release_of_ptx({9, 9})) == "that of CUDA 13.9");
}

TEST_CASE("compressed code can need a newer driver than its release") {
  WheelFacts facts = native_facts();
  facts.libraries[0].elf.needed = {"libcudart.so.12"};
  const binary::DeviceCode cubin{CodeKind::cubin, "sm_90", CodeCompression::zstd};
  const binary::DeviceCode ptx{CodeKind::ptx, "compute_90", CodeCompression::zstd, 1, 1, {8, 1}};
  facts.device_code = {{"demo/_C.so", {cubin}}};
  CHECK(driver_text(oldest_driver(driver_needs(facts))->cuda) == "550 (CUDA 12.4)");
  const std::vector<Finding> found = findings_of(facts, {}, {"gpu-driver"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message ==
        "does not run on drivers older than 550 (CUDA 12.4), although drivers since 525 (CUDA "
        "12.0) run CUDA 12");
  CHECK(found[0].severity == Severity::warning);
  facts.device_code[0].code = {ptx};
  CHECK(findings_of(facts, {}, {"gpu-driver"}).empty());
  CHECK(driver_text(driver_needs(facts).ptx->cuda) == "550 (CUDA 12.4)");
  facts.libraries[0].elf.needed = {"libcudart.so.13"};
  facts.device_code[0].code = {cubin};
  CHECK(findings_of(facts, {}, {"gpu-driver"}).empty());
  CHECK_FALSE(oldest_driver(driver_needs(native_facts())));
}

}  // namespace
}  // namespace pinwheel::inspect
