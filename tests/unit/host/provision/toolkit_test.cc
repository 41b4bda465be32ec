#include "host/provision/toolkit.h"

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

namespace pinwheel::host {
namespace {

// Nonexistent releases, because the toolkits of this machine are found too.
constexpr const char* kHipcc = "#!/bin/sh\necho 'HIP version: 99.1.25424-abc'\n";
// Like AMD's: the variable overrides the program's own prefix.
constexpr const char* kHipconfig =
    "#!/bin/sh\n[ \"$1 $HIP_PLATFORM\" = '--rocmpath amd' ] && printf %s "
    "\"${ROCM_PATH-/opt/rocm-99.1/}\"\n";

// Like NVIDIA's: a dry run prints its prefix among the commands on stderr.
constexpr const char* kNvcc =
    "#!/bin/sh\necho '#$ TOP=/usr/local/cuda-99.2/' >&2\n"
    "echo 'Cuda compilation tools, release 99.2, V99.2.88'\n";
constexpr const char* kSilentNvcc =
    "#!/bin/sh\necho 'Cuda compilation tools, release 99.2, V99.2.88'\n";

/// A machine whose programs run in a container, whose files it cannot see.
EnvMachine container_of(const ScratchMachine& host) {
  EnvMachine inside = host.machine;
  inside.host = &host.machine;
  inside.variables = {{"PATH", (host.scratch.path() / "inside").string()}};
  return inside;
}

/// The toolkits with a name that are found there.
std::vector<env::Toolkit> named(const EnvMachine& machine, const std::string& name) {
  std::vector<env::Toolkit> found = list_toolkits(machine);
  std::erase_if(found, [&name](const env::Toolkit& each) { return each.name != name; });
  return found;
}

/// The ROCm found under that prefix.
std::vector<env::Toolkit> at(const ScratchMachine& here, const std::string& prefix) {
  std::vector<env::Toolkit> found = list_toolkits(here.machine);
  std::erase_if(found, [&](const env::Toolkit& toolkit) { return toolkit.prefix != prefix; });
  return found;
}

TEST_CASE("the prefix of a ROCm comes from its hipconfig, regardless of PATH") {
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

TEST_CASE("without a hipconfig the prefix of a ROCm is derived from its compiler") {
  ScratchMachine here;
  here.program("rocm/bin/hipcc", kHipcc);
  const std::string prefix = (here.scratch.path() / "rocm").string();
  here.machine.variables = {{"PATH", "/usr/bin:/bin"}, {"ROCM_PATH", prefix}};
  REQUIRE(at(here, prefix).size() == 1);
  CHECK(at(here, prefix).front().compiler == prefix + "/bin/hipcc");
}

TEST_CASE("only the name of a container's ROCm is known until its hipconfig is queried") {
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

TEST_CASE("only the name of a container's CUDA is known until nvcc prints its prefix") {
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
