#include "host/steps/hidden_toolkits.h"

#include <filesystem>
#include <map>
#include <string>

#include "host/system/process.h"
#include "host/system/program.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The output of a Python that starts with the module and imports a package that looks for a
/// toolkit as torch does. Every directory exists there.
std::string printed(const Scratch& scratch, const std::string& program) {
  scratch.write("hidden/sitecustomize.py", site_customize());
  scratch.write("site/sitecustomize.py", "print('replaced')\n");
  scratch.write("site/torch/__init__.py", "");
  scratch.write("site/torch/utils/__init__.py", "");
  scratch.write("site/torch/utils/cpp_extension.py",
                "import os\n"
                "CUDA_HOME = '/usr/local/cuda' if os.path.exists('/usr/local/cuda') else None\n"
                "SHELL = os.path.exists('/bin/sh')\n");
  const std::string path = scratch.path().string() + "/hidden:" + scratch.path().string() + "/site";
  ports::Command command{
      {"python3", "-c", "import os; os.path.exists = lambda path: True\n" + program},
      "/",
      {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"PYTHONPATH", path}}};
  const Result<ports::Captured> ran = ChildProcesses().capture(command);
  REQUIRE(ran);
  INFO(ran->err);
  REQUIRE(ran->exit.ok());
  return ran->out;
}

TEST_CASE("torch's search for a toolkit finds none, and other modules see every place") {
  const Scratch scratch;
  CHECK(printed(scratch,
                "from torch.utils.cpp_extension import CUDA_HOME, SHELL\n"
                "print(CUDA_HOME, SHELL, os.path.exists('/usr/local/cuda'))\n") ==
        "replaced\nNone True True\n");
}

TEST_CASE("a Python that does not import torch starts as before") {
  const Scratch scratch;
  CHECK(printed(scratch, "print(os.path.exists('/usr/local/cuda'))\n") == "replaced\nTrue\n");
}

TEST_CASE("a toolkit that the matrix chooses is not hidden") {
  CHECK(choose_toolkit({{"CUDA_HOME", "/usr/local/cuda"}}));
  CHECK_FALSE(choose_toolkit({{"CFLAGS", "-O2"}}));
}

fs::path program(const Scratch& scratch, const std::string& name) {
  const fs::path path = scratch.write(name, "#!/bin/sh\n");
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

/// The path without the compilers of GPUs, for builds in this space.
std::string path_for(const std::string& path, const BuildSpace& space) {
  const Workplace workplace;
  LocalSupplier supplier(workplace);
  return path_without(path, {"nvcc", "hipcc"}, space, supplier).value();
}

TEST_CASE("a directory without the program stays on PATH as it is") {
  const Scratch scratch;
  program(scratch, "bin/cc");
  const BuildSpace space(scratch.path() / "build", PathMode::real, {});
  const std::string path = (scratch.path() / "bin").string() + ":/nosuch:";
  CHECK(path_for(path, space) == path);
  CHECK_FALSE(fs::exists(scratch.path() / "build"));
}

TEST_CASE("of a directory with the program the others are found") {
  const Scratch scratch;
  program(scratch, "first/cc");
  program(scratch, "second/nvcc");
  program(scratch, "second/cmake");
  const BuildSpace space(scratch.path() / "build", PathMode::real, {});
  const std::string path =
      (scratch.path() / "first").string() + ":" + (scratch.path() / "second").string();
  const std::map<std::string, std::string> seen = {{"PATH", path_for(path, space)}};
  CHECK(find_program("cc", seen).value() == (scratch.path() / "first/cc").string());
  const std::string cmake = find_program("cmake", seen).value();
  CHECK(cmake == (scratch.path() / "build/programs/0/cmake").string());
  CHECK(fs::read_symlink(cmake) == scratch.path() / "second/cmake");
  CHECK_FALSE(find_program("nvcc", seen));
}

TEST_CASE("a directory of the system is replaced, too") {
  const Scratch scratch;
  program(scratch, "bin/hipcc");
  program(scratch, "bin/unshare");
  const BuildSpace space(scratch.path() / "build", PathMode::real, {});
  const std::string path = path_for((scratch.path() / "bin").string(), space);
  CHECK(path == (scratch.path() / "build/programs/0").string());
  CHECK(find_program("unshare", {{"PATH", path}}));
  CHECK_FALSE(find_program("hipcc", {{"PATH", path}}));
}

TEST_CASE("two names of one directory are replaced by one directory") {
  const Scratch scratch;
  program(scratch, "usr/bin/nvcc");
  program(scratch, "usr/bin/cc");
  fs::create_directory_symlink("usr/bin", scratch.path() / "bin");
  const BuildSpace space(scratch.path() / "build", PathMode::real, {});
  const std::string usr = (scratch.path() / "usr/bin").string();
  const std::string seen = (scratch.path() / "build/programs/0").string();
  CHECK(path_for(usr + ":" + (scratch.path() / "bin").string(), space) == seen + ":" + seen);
  CHECK_FALSE(fs::exists(scratch.path() / "build/programs/1"));
}

TEST_CASE("at a fixed path the directory is named as the build sees it") {
  const Scratch scratch;
  program(scratch, "bin/nvcc");
  const BuildSpace space(scratch.path() / "build", PathMode::fixed, {});
  CHECK(path_for((scratch.path() / "bin").string(), space) ==
        std::string(kFixedPath) + "/programs/0");
  CHECK(fs::is_directory(scratch.path() / "build/programs/0"));
}

}  // namespace
}  // namespace pinwheel::host
