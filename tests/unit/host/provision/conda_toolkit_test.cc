#include "host/provision/toolkit.h"

#include <filesystem>

#include "base/digest.h"
#include "host/provision/environment_list.h"
#include "unit/catch.h"
#include "unit/host/scratch_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

/// A conda with a scripted solution that "installs" an nvcc with scripted output.
constexpr const char* kToolkitClient = R"SHELL(#!/bin/sh
case "$*" in
  --version) echo conda 24.1.0 ;;
  *--dry-run*) cat "$HOME/solution" ;;
  *) echo install >> "$HOME/calls"; mkdir -p "$5/bin"
     printf '#!/bin/sh\ncat "%s/says"\n' "$HOME" > "$5/bin/nvcc"; chmod +x "$5/bin/nvcc" ;;
esac
)SHELL";

struct ToolkitPlace : ScratchMachine {
  env::Request request;

  ToolkitPlace() {
    use_conda(kToolkitClient);
    const fs::path file = scratch.write("channel/noarch/cuda-toolkit-13.0.88-0.conda", "cuda");
    scratch.write("solution",
                  R"({"success": true, "actions": {"FETCH": [{"name": "cuda-toolkit",
                      "version": "13.0.88", "build": "0", "subdir": "noarch", "url": "file://)" +
                      file.string() + R"(", "sha256": ")" + sha256_hex("cuda") +
                      R"("}], "LINK": [{"name": "cuda-toolkit"}]}})");
    says("13.0.88");
    request.python = "3.11";
    request.toolkit = "cuda/13.0";
    request.toolkit_from = matrix::ToolkitFrom::conda;
    request.toolkit_conda.channels = {"conda-forge"};
  }

  void says(const std::string& release) const {
    scratch.write("says", "Cuda compilation tools, release 13, V" + release + "\n");
  }
  Result<host::Resolved> resolve() const {
    return host::resolve_toolkit(machine, request, toolkits::ToolkitSource::conda);
  }
};

}  // namespace

TEST_CASE("a toolkit from conda is created once, from the exact packages, in its own prefix") {
  const ToolkitPlace place;
  const auto resolved = place.resolve();
  INFO((resolved ? std::string() : render(resolved.error())));
  REQUIRE(resolved);
  CHECK(resolved->resolution.python.empty());
  CHECK(resolved->resolution.conda.size() == 1);
  for (int i = 0; i < 2; ++i) {
    const auto toolkit = host::find_toolkit(place.machine, place.request);
    INFO((toolkit ? std::string() : render(toolkit.error())));
    REQUIRE(toolkit);
    CHECK(toolkit->name == "cuda/13.0");
    CHECK(toolkit->release == "13.0.88");
    CHECK(toolkit->compiler == toolkit->prefix + "/bin/nvcc");
  }
  CHECK(place.scratch.read("calls") == "install\n");
  const auto rows = host::list_environments(place.machine);
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->front().toolkit == "cuda/13.0.88");
  CHECK(rows->front().place == "toolkits/" + rows->front().id);
}

TEST_CASE("packages with a different CUDA, or none that starts, are an error") {
  const ToolkitPlace place;
  REQUIRE(place.resolve());
  place.says("12.9.1");
  const auto other = host::find_toolkit(place.machine, place.request);
  REQUIRE_FALSE(other);
  CHECK(other.error().message.find("contain nvcc 12.9.1") != std::string::npos);
  place.scratch.write("says", "no compiler\n");
  const auto none = host::find_toolkit(place.machine, place.request);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::environment);
  CHECK(host::list_environments(place.machine)->front().completeness ==
        host::Completeness::partial);
}

TEST_CASE("an unresolved toolkit from conda is not created") {
  const ToolkitPlace place;
  const auto made = host::find_toolkit(place.machine, place.request);
  REQUIRE_FALSE(made);
  CHECK(made.error().message == "the toolkit `cuda/13.0` from conda is not resolved");
}
