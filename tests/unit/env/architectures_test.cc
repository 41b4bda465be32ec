#include "env/architectures.h"

#include "base/text.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::env;

TEST_CASE("nvcc is probed for exactly the entry, without its PTX") {
  const Toolkit toolkit = cuda_toolkit("/p", "13.0.88");
  CHECK(join(probe_architecture(toolkit, "9.0a"), " ") ==
        "/p/bin/nvcc --dryrun -gencode arch=compute_90a,code=sm_90a -x cu -c /dev/null");
  CHECK(join(probe_architecture(toolkit, "12.0+PTX"), " ") ==
        "/p/bin/nvcc --dryrun -gencode arch=compute_120,code=sm_120 -x cu -c /dev/null");
  CHECK(list_architectures(toolkit) == std::vector<std::string>{"/p/bin/nvcc", "--list-gpu-arch"});
}

TEST_CASE("hipcc is probed for the target with its features and device library") {
  const Toolkit toolkit = rocm_toolkit("/usr", "/usr/bin/hipcc", "5.2.21153");
  const std::string line = join(probe_architecture(toolkit, "gfx90a:xnack+"), " ");
  CHECK(line.find("--offload-arch=gfx90a:xnack+ --cuda-device-only") != std::string::npos);
  CHECK(line.find("-nogpulib") == std::string::npos);
}

TEST_CASE("the compilers' architectures are parsed into the notation of an arch list") {
  CHECK(parse_architectures("compute_75\ncompute_80\ncompute_100\ncompute_80\n") ==
        std::vector<std::string>{"7.5", "8.0", "10.0"});
  CHECK(parse_architectures("Debian clang version 15.0.6\nAvailable CPUs for this target:\n\n"
                            "\tgfx90a\n\tgfx940\n\nUse -mcpu or -mtune to specify it.\n") ==
        std::vector<std::string>{"gfx90a", "gfx940"});
  CHECK(parse_architectures("clang: error: unknown argument\n").empty());
}
