#include "host/machine/gpu.h"

#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;

namespace {

/// The result of `ask` on a machine whose nvidia-smi is the script.
template <class Ask>
auto with_smi(const std::string& script, const Ask& ask) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.write("nvidia-smi", "#!/bin/sh\n" + script),
                               std::filesystem::perms::owner_all);
  host::LocalFiles files;
  host::ChildProcesses process;
  host::SystemClock clock;
  return ask(host::EnvMachine{files,
                              process,
                              clock,
                              {{"PATH", scratch.path().string() + ":/usr/bin:/bin"}},
                              scratch.path(),
                              scratch.path()});
}

host::Gpus gpus_that_answer(const std::string& script) {
  return with_smi(script, [](const host::EnvMachine& machine) { return host::find_gpus(machine); });
}

bool has(const std::string& script, const std::string& compute, const std::string& device = {}) {
  return with_smi(script, [&](const host::EnvMachine& machine) {
    return host::has_hardware(machine, compute, device);
  });
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

TEST_CASE("a compute has hardware where a GPU runs its code, or where its device is") {
  const std::string nvidia = "echo 'NVIDIA A, 580.1'";
  CHECK(has(nvidia, "cuda/13.0"));
  CHECK_FALSE(has("exit 9", "cuda/13.0"));
  CHECK(has(nvidia, "rocm/7.1") == (kOthers > 0));
  CHECK(has(nvidia, "mtia"));
  CHECK(has("exit 9", "mtia", "/dev/null"));
  CHECK_FALSE(has(nvidia, "mtia", "/dev/pinwheel-has-no-such-device"));
  CHECK_FALSE(has(nvidia, "cuda/13.0", "/dev/pinwheel-has-no-such-device"));
}
