#include "env/gpu_packages.h"

#include "unit/catch.h"

namespace pinwheel::env {
namespace {

Resolution cuda_torch() {
  return {.request = "r",
          .python = "3.12.1",
          .packages = {{"cuda-toolkit", "13.0.3", "a.whl", "1"},
                       {"filelock", "3.0", "b.whl", "2"},
                       {"nvidia-cublas", "13.1.0", "c.whl", "3"},
                       {"nvidia-ml-py", "13.0", "d.whl", "4"},
                       {"torch", "2.13.0", "e.whl", "5"},
                       {"triton", "3.7.1", "f.whl", "6"}}};
}

TEST_CASE("NVIDIA's packages are left out and named, unless the request names them") {
  const Request request{.python = "3.12", .requirements = {"nvidia_ml-py>=12"}};
  const Resolution lean = without_gpu_packages(cuda_torch(), request);
  CHECK(requirements_text(lean, TorchPart::with) ==
        "filelock==3.0 --hash=sha256:2\nnvidia-ml-py==13.0 --hash=sha256:4\n"
        "torch==2.13.0 --hash=sha256:5\n");
  REQUIRE(lean.absent.size() == 3);
  CHECK(lean.absent[0].name == "cuda-toolkit");
  CHECK(constraints_text(lean, Purpose::test).find("triton==3.7.1\n") != std::string::npos);
  CHECK(lean.digest() != cuda_torch().digest());
  CHECK(parse_resolution(to_json(lean)).value() == lean);
}

TEST_CASE("a resolution without them is still the same environment") {
  Resolution cpu = cuda_torch();
  std::erase_if(cpu.packages, [](const PipPackage& each) { return is_gpu_package(each.name); });
  CHECK(without_gpu_packages(cpu, {}) == cpu);
  CHECK(without_gpu_packages(cpu, {}).digest() == cpu.digest());
}

TEST_CASE("an absent package is represented by an empty distribution of that name and version") {
  const std::map<std::string, std::string> files =
      files_of_absent({"nvidia-cublas", "13.1.0", {}, {}});
  REQUIRE(files.contains("nvidia_cublas-13.1.0.dist-info/METADATA"));
  CHECK(files.at("nvidia_cublas-13.1.0.dist-info/METADATA")
            .starts_with("Metadata-Version: 2.1\nName: nvidia-cublas\nVersion: 13.1.0\n"));
  CHECK(files.at("nvidia_cublas-13.1.0.dist-info/RECORD") ==
        "nvidia_cublas-13.1.0.dist-info/METADATA,,\n"
        "nvidia_cublas-13.1.0.dist-info/INSTALLER,,\n"
        "nvidia_cublas-13.1.0.dist-info/RECORD,,\n");
}

}  // namespace
}  // namespace pinwheel::env
