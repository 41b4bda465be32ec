#include "inspect/required_libraries.h"

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

bool brings(const std::string& requirement, const std::string& soname) {
  WheelFacts facts = pure_facts();
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\nRequires-Dist: " + requirement + "\n");
  return is_required_library(facts, soname);
}

TEST_CASE("a required NVIDIA distribution provides its libraries of the same number") {
  CHECK(brings("nvidia-cuda-runtime-cu12", "libcudart.so.12"));
  CHECK_FALSE(brings("nvidia-cuda-runtime-cu12", "libcudart.so.13"));
  CHECK(brings("nvidia-cuda-runtime==13.0.*", "libcudart.so.13"));
  CHECK(brings("nvidia-cublas-cu12==12.8.4.1", "libcublasLt.so.12"));
  CHECK(brings("nvidia-cufft-cu12", "libcufft.so.11"));
  CHECK_FALSE(brings("nvidia-cufft-cu12", "libcurand.so.10"));
  CHECK_FALSE(brings("nvidia-cuda-runtime-cu12; extra == 'gpu'", "libcudart.so.12"));
  CHECK(brings("nvidia-cuda-runtime-cu12; platform_system == 'Linux'", "libcudart.so.12"));
  CHECK_FALSE(brings("torch", "libcudart.so.12"));
}

}  // namespace
}  // namespace pinwheel::inspect
