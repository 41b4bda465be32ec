#include "host/steps/build_command.h"

#include "env/toolkit.h"
#include "unit/catch.h"

using namespace pinwheel;

TEST_CASE("a build sees a mounted toolkit at its mount, and the machine's at its own path") {
  const env::Toolkit toolkit = env::cuda_toolkit("/cache/toolkits/t/nvidia/cu13", "13.0.88");
  const host::BuildSpace mounted("/scratch", host::PathMode::fixed,
                                 {{toolkit.prefix, host::kToolkitName}});
  const auto seen = host::seen_variables(toolkit, mounted);
  CHECK(seen.at("CUDA_HOME") == "/tmp/pinwheel-build/toolkit");
  CHECK(seen.at("LIBRARY_PATH") ==
        "/tmp/pinwheel-build/toolkit/lib64:/tmp/pinwheel-build/toolkit/lib");
  const host::BuildSpace without("/scratch", host::PathMode::fixed, {});
  CHECK(host::seen_variables(toolkit, without) == toolkit.variables);
}
