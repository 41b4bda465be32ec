#include <filesystem>
#include <string>

#include "env/interpreter.h"
#include "host/provision/env_resolve.h"
#include "unit/catch.h"
#include "unit/host/wheel_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

constexpr const char* kClosed = "http://127.0.0.1:9/whl/";

/// A machine whose pip finds torch 2.14.0 for CUDA 13.0, and an index that has 2.13.0 for the CPU.
struct TorchMachine : Machine {
  TorchMachine() {
    machine.variables.erase("PIP_NO_INDEX");
    machine.variables["PIP_INDEX_URL"] = "file://" + (place.path / "empty").string();
    add_wheel("nvidia_cuda_runtime", "13.0.96", "");
    add_wheel("torch", "2.14.0", "nvidia-cuda-runtime==13.0.96");
    const fs::path page = place.path / "whl/cpu/torch";
    fs::create_directories(page);
    run({interpreter.path, "-I", "-c", kWriteWheel, page.string(), "torch", "2.13.0+cpu", ""});
    REQUIRE(files.write(page / "index.html",
                        "<a href=\"torch-2.13.0+cpu-py3-none-any.whl\">"
                        "torch-2.13.0+cpu-py3-none-any.whl</a>"));
  }
  std::string index() const { return "file://" + (place.path / "whl/cpu").string(); }
  Result<host::Resolved> resolve(const std::string& spec, const std::string& from) const {
    return host::resolve(machine, {.python = "3.11", .torch = {spec, from}});
  }
};

}  // namespace

TEST_CASE("torch comes from its own index alone", "[torch-index]") {
  const TorchMachine m;
  const host::Resolved resolved = value_of(m.resolve("torch>=2.13", m.index()));
  CHECK(resolved.resolution.find("torch")->version == "2.13.0+cpu");
  CHECK(resolved.resolution.torch_index == m.index());
  CHECK(resolved.warnings.empty());

  const auto newer = m.resolve("torch==2.14.0", m.index());
  REQUIRE_FALSE(newer.has_value());
  CHECK(newer.error().kind == ErrorKind::config);
  CHECK(newer.error().message.find(m.index()) != std::string::npos);
  CHECK(newer.error().hint.find("Python 3.11") != std::string::npos);

  CHECK(value_of(m.resolve("torch>=2.13", "")).resolution.find("torch")->version == "2.14.0");
}

TEST_CASE("a torch for another compute does not replace an index that does not respond",
          "[torch-index]") {
  TorchMachine m;
  const auto silent = m.resolve("torch>=2.13", std::string(kClosed) + "cpu");
  REQUIRE_FALSE(silent.has_value());
  CHECK(silent.error().kind == ErrorKind::transient);
  CHECK(silent.error().message.find("`http://127.0.0.1:9/whl/cpu`") != std::string::npos);
  CHECK(silent.error().hint.find("torch 2.14.0 of the pip configuration was built for cu130") !=
        std::string::npos);

  // The same compute, but not by a name that says so.
  const auto unnamed = m.resolve("torch>=2.13", "http://127.0.0.1:9/simple");
  REQUIRE_FALSE(unnamed.has_value());
  CHECK(unnamed.error().kind == ErrorKind::transient);

  const host::Resolved same = value_of(m.resolve("torch>=2.13", std::string(kClosed) + "cu130"));
  CHECK(same.resolution.find("torch")->version == "2.14.0");
  CHECK(same.resolution.torch_index.empty());
  REQUIRE(same.warnings.size() == 1);
  CHECK(same.warnings[0].message.find("cu130") != std::string::npos);

  m.machine.variables["PIP_NO_INDEX"] = "1";
  const auto offline = m.resolve("torch==2.14.0", m.index());
  REQUIRE_FALSE(offline.has_value());
  CHECK(offline.error().kind == ErrorKind::environment);
}

TEST_CASE("a recorded torch for another compute is not reused", "[torch-index]") {
  const TorchMachine m;
  const env::Request request{.python = "3.11", .torch = {"torch>=2.13", m.index()}};
  env::Resolution recorded;
  recorded.request = env::digest(request);
  recorded.python = env::full_version(m.interpreter);
  recorded.packages = {{"nvidia-cuda-runtime", "13.0.96", "", "ab"}, {"torch", "2.14.0", "", "cd"}};
  REQUIRE(host::record_resolution(m.machine, recorded.request, env::to_json(recorded)));
  const host::Resolved resolved = value_of(host::resolve(m.machine, request));
  CHECK(resolved.resolution.find("torch")->version == "2.13.0+cpu");
}
