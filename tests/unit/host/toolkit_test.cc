#include "host/toolkit.h"

#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

namespace pinwheel::host {
namespace {

constexpr const char* kHipcc = "#!/bin/sh\necho 'HIP version: 7.1.25424-abc'\n";
// As AMD's: what the variable says wins over what the program knows.
constexpr const char* kHipconfig =
    "#!/bin/sh\n[ \"$1 $HIP_PLATFORM\" = '--rocmpath amd' ] && printf %s "
    "\"${ROCM_PATH-/opt/rocm-7.1.0/}\"\n";

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
  const std::vector<env::Toolkit> found = at(here, "/opt/rocm-7.1.0");
  REQUIRE(found.size() == 1);
  CHECK(found.front().name == "rocm/7.1");
  CHECK(found.front().compiler == hipcc);
  CHECK(found.front().variables.at("ROCM_PATH") == "/opt/rocm-7.1.0");
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
  const EnvMachine host = here.machine;
  EnvMachine inside{here.files,         here.process,       here.clock, here.machine.variables,
                    here.machine.cache, here.machine.state, &host};
  inside.variables = {{"PATH", (here.scratch.path() / "inside").string()}};
  const auto rocm = [&] {
    std::vector<env::Toolkit> found = list_toolkits(inside);
    std::erase_if(found, [](const env::Toolkit& each) { return each.name != "rocm/7.1"; });
    return found;
  };
  REQUIRE(rocm().size() == 1);
  CHECK(rocm().front().compiler == "/opt/rocm-7.1.0/bin/hipcc");
  CHECK(rocm().front().variables.at("PATH") == "/opt/rocm-7.1.0/bin");
  std::filesystem::remove(hipconfig);
  CHECK(rocm().empty());
}

}  // namespace
}  // namespace pinwheel::host
