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

TEST_CASE("a build gets the secrets that it names, and no other") {
  const host::BuildSpace space("/scratch", host::PathMode::fixed, {});
  plan::BuildWheel action;
  action.settings.build.command = {"make"};
  action.secrets = {"LICENSE_TOKEN", "MISSING"};
  const ports::Command command = host::build_command(
      action, {space, {}, {}, 1, {{"LICENSE_TOKEN", Secret("a")}, {"OTHER", Secret("b")}}});
  CHECK(command.environment.at("LICENSE_TOKEN") == "a");
  CHECK_FALSE(command.environment.contains("OTHER"));
  CHECK_FALSE(command.environment.contains("MISSING"));
  plan::BuildSdist sdist;
  sdist.secrets = {"OTHER"};
  const ports::Command packing =
      host::sdist_command(sdist, {space, {}, {}, 1, {{"OTHER", Secret("b")}}});
  CHECK(packing.environment.at("OTHER") == "b");
}

TEST_CASE("HOME is private to a build, and toolchains and caches below the user's are not") {
  const host::BuildSpace space("/scratch", host::PathMode::fixed, {});
  const auto variables_of = [&](std::map<std::string, std::string> user) {
    return host::clean_variables(
        {.space = space, .user = std::move(user), .toolkit = {}, .cores = 1});
  };
  const auto usual = variables_of({{"HOME", "/home/u"}});
  CHECK(usual.at("HOME") == "/tmp/pinwheel-build/home");
  CHECK(usual.at("CCACHE_DIR") == "/home/u/.cache/ccache");
  CHECK(usual.at("RUSTUP_HOME") == "/home/u/.rustup");
  CHECK(usual.at("CARGO_HOME") == "/home/u/.cargo");
  const auto own = variables_of({{"HOME", "/home/u"}, {"RUSTUP_HOME", "/opt/rust"}});
  CHECK(own.at("RUSTUP_HOME") == "/opt/rust");
  CHECK_FALSE(variables_of({}).contains("CARGO_HOME"));
}
