#include "host/steps/hidden_toolkits.h"

#include "host/system/process.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

/// What a Python prints that starts with the module and finds a package that looks for a toolkit as
/// torch does. Every place exists there.
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

}  // namespace
}  // namespace pinwheel::host
