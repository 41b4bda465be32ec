#include "host/provision/toolkit.h"

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

namespace pinwheel::host {
namespace {

// Of releases that nobody has: what this machine has is found beside them.
constexpr const char* kHipcc = "#!/bin/sh\necho 'HIP version: 99.1.25424-abc'\n";
// As AMD's: what the variable says wins over what the program knows.
constexpr const char* kHipconfig =
    "#!/bin/sh\n[ \"$1 $HIP_PLATFORM\" = '--rocmpath amd' ] && printf %s "
    "\"${ROCM_PATH-/opt/rocm-99.1/}\"\n";

// As NVIDIA's: where it lies is said by a dry run, among the commands on stderr.
constexpr const char* kNvcc =
    "#!/bin/sh\necho '#$ TOP=/usr/local/cuda-99.2/' >&2\n"
    "echo 'Cuda compilation tools, release 99.2, V99.2.88'\n";
constexpr const char* kSilentNvcc =
    "#!/bin/sh\necho 'Cuda compilation tools, release 99.2, V99.2.88'\n";

/// A machine whose programs run inside, of which it sees no file: in a container.
EnvMachine container_of(const ScratchMachine& host) {
  EnvMachine inside = host.machine;
  inside.host = &host.machine;
  inside.variables = {{"PATH", (host.scratch.path() / "inside").string()}};
  return inside;
}

/// The toolkits of a name that are found there.
std::vector<env::Toolkit> named(const EnvMachine& machine, const std::string& name) {
  std::vector<env::Toolkit> found = list_toolkits(machine);
  std::erase_if(found, [&name](const env::Toolkit& each) { return each.name != name; });
  return found;
}

/// The ROCm that is found under that prefix.
std::vector<env::Toolkit> at(const ScratchMachine& here, const std::string& prefix) {
  std::vector<env::Toolkit> found = list_toolkits(here.machine);
  std::erase_if(found, [&](const env::Toolkit& toolkit) { return toolkit.prefix != prefix; });
  return found;
}

TEST_CASE("a ROCm lies where its hipconfig says, whatever directory of PATH leads to it") {
  ScratchMachine here;
  const std::string hipcc = here.program("links/hipcc", kHipcc);
  here.program("links/hipconfig", kHipconfig);
  const std::string links = (here.scratch.path() / "links").string();
  here.machine.variables = {{"PATH", links + ":/usr/bin:/bin"}, {"ROCM_PATH", "/another"}};
  const std::vector<env::Toolkit> found = at(here, "/opt/rocm-99.1");
  REQUIRE(found.size() == 1);
  CHECK(found.front().name == "rocm/99.1");
  CHECK(found.front().compiler == hipcc);
  CHECK(found.front().variables.at("ROCM_PATH") == "/opt/rocm-99.1");
  CHECK(found.front().variables.at("PATH") == links);
}

TEST_CASE("without a hipconfig a ROCm lies around its compiler") {
  ScratchMachine here;
  here.program("rocm/bin/hipcc", kHipcc);
  const std::string prefix = (here.scratch.path() / "rocm").string();
  here.machine.variables = {{"PATH", "/usr/bin:/bin"}, {"ROCM_PATH", prefix}};
  REQUIRE(at(here, prefix).size() == 1);
  CHECK(at(here, prefix).front().compiler == prefix + "/bin/hipcc");
}

TEST_CASE("of a container's ROCm only the name is known until its hipconfig is asked") {
  ScratchMachine here;
  here.program("inside/hipcc", kHipcc);
  const std::string hipconfig = here.program("inside/hipconfig", kHipconfig);
  const EnvMachine inside = container_of(here);
  const std::vector<env::Toolkit> found = named(inside, "rocm/99.1");
  REQUIRE(found.size() == 1);
  CHECK(found.front().compiler == "/opt/rocm-99.1/bin/hipcc");
  CHECK(found.front().variables.at("PATH") == "/opt/rocm-99.1/bin");
  std::filesystem::remove(hipconfig);
  CHECK(named(inside, "rocm/99.1").empty());
}

TEST_CASE("of a container's CUDA only the name is known until nvcc says where it lies") {
  ScratchMachine here;
  here.program("inside/nvcc", kNvcc);
  const EnvMachine inside = container_of(here);
  const std::vector<env::Toolkit> found = named(inside, "cuda/99.2");
  REQUIRE(found.size() == 1);
  CHECK(found.front().prefix == "/usr/local/cuda-99.2");
  here.program("inside/nvcc", kSilentNvcc);
  CHECK(named(inside, "cuda/99.2").empty());
}

}  // namespace
}  // namespace pinwheel::host
