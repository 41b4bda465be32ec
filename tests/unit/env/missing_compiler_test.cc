#include "env/missing_compiler.h"

#include <string>

#include "env/classify_compiler.h"
#include "unit/catch.h"
#include "unit/env/tool_output.h"

using namespace pinwheel;

namespace {

std::string program_of(const std::string& output) {
  const auto diagnosis = env::missing_compiler(output);
  if (!diagnosis) return "";
  CHECK(diagnosis->kind == ErrorKind::environment);
  CHECK(diagnosis->hint.find("`pinwheel doctor`") != std::string::npos);
  return diagnosis->line;
}

}  // namespace

TEST_CASE("the compiler that a backend lacks is named") {
  CHECK(program_of(tool_output("pip_build_without_gcc.txt")) == "there is no compiler `gcc`");
  CHECK(program_of("error: command 'x86_64-linux-gnu-gcc' not found\n") ==
        "there is no compiler `x86_64-linux-gnu-gcc`");
  CHECK(
      program_of("  my-gcc -Wall -c a.c\nerror: [Errno 2] No such file or directory: 'my-gcc'\n") ==
      "there is no compiler `my-gcc`");
  CHECK(program_of("error: [Errno 2] No such file or directory: 'data.txt'\n").empty());
  CHECK(program_of(tool_output("cmake_without_compiler.txt")) == "there is no compiler `g++`");
  CHECK(program_of(tool_output("pip_cmake_without_compiler.txt")) == "there is no compiler `g++`");
  CHECK(program_of(tool_output("pip_meson_without_compiler.txt")) == "there is no compiler `cc`");
  for (const char* name : {"pip_setuptools_without_rust.txt", "pip_maturin_without_rust.txt",
                           "maturin_without_cargo.txt"}) {
    INFO(name);
    CHECK(program_of(tool_output(name)) == "there is no compiler `cargo`");
  }
}

TEST_CASE("the hint has Debian's package of the compiler") {
  const auto hint_of = [](const std::string& program) {
    return env::missing_compiler("error: command '" + program + "' not found\n")->hint;
  };
  for (const auto& [program, package] : {std::pair{"gcc", "install gcc`"},
                                         {"/opt/bin/x86_64-linux-gnu-g++-12", "install g++`"},
                                         {"clang++", "install clang`"},
                                         {"cc", "install gcc`"},
                                         {"gfortran", "install gfortran`"},
                                         {"nvcc", "toolkit: pypi"}}) {
    INFO(program);
    CHECK(hint_of(program).find(package) != std::string::npos);
  }
  CHECK(hint_of("swig").find("apt-get") == std::string::npos);
}

TEST_CASE("a compiler that runs and fails is not missing") {
  CHECK(program_of("error: command '/usr/bin/gcc' failed with exit code 1\n").empty());
  CHECK(program_of("-- The CXX compiler identification is GNU 12.2.0\n").empty());
  CHECK(program_of("").empty());
}

TEST_CASE("a missing compiler explains a failed build") {
  const env::Diagnosis diagnosis =
      env::classify_compiler({.code = 1}, tool_output("cmake_without_compiler.txt"));
  CHECK(diagnosis.kind == ErrorKind::environment);
  CHECK(diagnosis.line == "there is no compiler `g++`");
}
