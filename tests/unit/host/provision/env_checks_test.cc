#include "host/provision/env_checks.h"

#include <stdlib.h>

#include <filesystem>

#include "host/system/clock.h"
#include "host/system/files.h"
#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// This machine's compiler, and a toolkit's prefix in a scratch directory.
struct Here {
  Here() {
    const char* const path = ::getenv("PATH");
    variables["PATH"] = path == nullptr ? "/usr/bin:/bin" : path;
  }
  env::CheckFacts gather(const matrix::Check& check, const env::Toolkit& toolkit,
                         const std::vector<std::string>& arch_list = {}) {
    const EnvMachine machine{files, process, clock, variables, scratch.path(), scratch.path()};
    return gather_check_facts(machine, {{}, variables, toolkit.name, toolkit, {}, {}, arch_list},
                              {check});
  }
  std::string prefix() const { return scratch.path().string(); }

  Scratch scratch;
  LocalFiles files;
  ChildProcesses process;
  SystemClock clock;
  std::map<std::string, std::string> variables;
};

TEST_CASE("a header is searched in the toolkit, and a failure has the compiler's own error") {
  Here here;
  here.scratch.write("include/good.h", "int good;\n");
  here.scratch.write("include/needs.h", "#include <no_such_header_anywhere.h>\n");
  const env::Toolkit cuda = env::cuda_toolkit(here.prefix(), "13.0.88");
  const env::CheckFacts facts = here.gather({"header", {"good.h", "needs.h", "absent.h"}}, cuda);
  CHECK(facts.headers.at("good.h").empty());
  CHECK(facts.headers.at("needs.h").find("no_such_header_anywhere.h") != std::string::npos);
  CHECK(facts.headers.at("needs.h").find("error:") != std::string::npos);
  CHECK(facts.headers.at("absent.h").find("absent.h") != std::string::npos);
}

TEST_CASE("only HIP headers are compiled for the AMD platform") {
  Here here;
  here.scratch.write("include/hip.h", "#ifndef __HIP_PLATFORM_AMD__\n#error no platform\n#endif\n");
  const env::Toolkit rocm = env::rocm_toolkit(here.prefix(), here.prefix() + "/bin/hipcc", "5.2.1");
  CHECK(here.gather({"header", {"hip.h"}}, rocm).headers.at("hip.h").empty());
  const env::Toolkit cuda = env::cuda_toolkit(here.prefix(), "13.0.88");
  CHECK(here.gather({"header", {"hip.h"}}, cuda).headers.at("hip.h").find("no platform") !=
        std::string::npos);
}

TEST_CASE(
    "each entry of the arch list is checked with the toolkit, whose own list is queried if one is "
    "missing") {
  Here here;
  const fs::path nvcc = here.scratch.write("bin/nvcc", R"(#!/bin/sh
case "$*" in
  --list-gpu-arch) echo compute_80; echo compute_90 ;;
  *compute_70*) echo "nvcc fatal   : Unsupported gpu architecture 'compute_70'" >&2; exit 1 ;;
esac
)");
  fs::permissions(nvcc, fs::perms::owner_all);
  const env::Toolkit cuda = env::cuda_toolkit(here.prefix(), "13.0.88");
  const env::CheckFacts good = here.gather({"toolkit"}, cuda, {"8.0", "9.0+PTX"});
  CHECK(good.architectures == std::map<std::string, std::string>{{"8.0", ""}, {"9.0+PTX", ""}});
  CHECK(good.known_architectures.empty());
  const env::CheckFacts bad = here.gather({"toolkit"}, cuda, {"7.0", "9.0"});
  CHECK(bad.architectures.at("7.0") == "nvcc fatal   : Unsupported gpu architecture 'compute_70'");
  CHECK(bad.known_architectures == std::vector<std::string>{"8.0", "9.0"});
}

}  // namespace
}  // namespace pinwheel::host
