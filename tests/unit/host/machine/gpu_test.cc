#include "host/machine/gpu.h"

#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

host::Gpus gpus_that_answer(const std::string& script) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.write("nvidia-smi", "#!/bin/sh\n" + script),
                               std::filesystem::perms::owner_all);
  host::LocalFiles files;
  host::ChildProcesses process;
  host::SystemClock clock;
  return host::find_gpus({files,
                          process,
                          clock,
                          {{"PATH", scratch.path().string() + ":/usr/bin:/bin"}},
                          scratch.path(),
                          scratch.path()});
}

/// The GPUs found without NVIDIA's tool.
const size_t kOthers = std::filesystem::exists("/dev/kfd") ? 1 : 0;

}  // namespace

TEST_CASE("each line of nvidia-smi is a GPU, with the driver after its last comma") {
  const host::Gpus gpus = gpus_that_answer("printf 'NVIDIA A, B, 580.1\\nNVIDIA C, 580.1\\n'");
  REQUIRE(gpus.names.size() == 2 + kOthers);
  CHECK(gpus.names[0] == "NVIDIA A, B");
  CHECK(gpus.names[1] == "NVIDIA C");
  CHECK(gpus.driver == "580.1");
}

TEST_CASE("a tool that fails or finds nothing means no GPU") {
  CHECK(gpus_that_answer("echo 'NVIDIA A, 580.1'; exit 9").names.size() == kOthers);
  CHECK(gpus_that_answer("echo 'No devices were found'").names.size() == kOthers);
}
