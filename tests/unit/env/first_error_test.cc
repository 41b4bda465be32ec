#include "env/first_error.h"

#include "env/classify_compiler.h"
#include "unit/catch.h"
#include "unit/env/tool_output.h"

namespace pinwheel::env {
namespace {

std::string shown(const std::string& name) {
  return classify_compiler({.code = 1}, tool_output(name)).line;
}

std::string error_in(std::string_view output) {
  return first_error(plain_lines(output));
}

TEST_CASE("a linker's own line is shown, not that it returned 1") {
  CHECK(shown("ld_no_library.txt") == "/usr/bin/ld: cannot find -lzfp: No such file or directory");
  for (const char* name : {"pip_ld_no_library.txt", "scikit_link.txt"}) {
    INFO(name);
    CHECK(shown(name) == "/usr/bin/ld: cannot find -lzfp: No such file or directory");
  }
  CHECK(shown("cmake_make_link.txt").ends_with("cannot find -lnothere: No such file or directory"));
  CHECK(shown("ld_undefined_ninja.txt") ==
        "a.cc:(.text+0x12): undefined reference to `missing_one(int)'");
  CHECK(shown("gold_undefined.txt").ends_with("undefined reference to 'missing_one(int)'"));
  CHECK(shown("ld_twice.txt").starts_with("twice.cc:(.text+0x0): multiple definition of"));
  CHECK(shown("ld_not_pic.txt").ends_with("recompile with -fPIC"));
  CHECK(shown("rustc_link.txt") == "rust-lld: error: unable to find library -lzfp");
}

TEST_CASE("a library without a known package has a hint that names its flag") {
  const Diagnosis library = classify_compiler(
      {.code = 1}, "/usr/bin/ld: cannot find -lnosuchthing\ncollect2: error: ld returned 1\n");
  CHECK(library.line == "/usr/bin/ld: cannot find -lnosuchthing");
  CHECK(library.hint.find("`-l` flag") != std::string::npos);
}

TEST_CASE("the first error of the CUDA tools is shown") {
  CHECK(shown("nvcc_error.txt") ==
        "src/k.cu(1): error: identifier \"undefined_name\" is undefined");
  CHECK(shown("nvcc_fatal.txt") == "nvcc fatal   : Unsupported gpu architecture 'compute_35'");
  CHECK(shown("ptxas_fatal.txt").ends_with("Not a name of any known instruction: 'bogus'"));
  CHECK(shown("ptxas_shared.txt").find("uses too much shared data") != std::string::npos);
  CHECK(shown("nvcc_extern.txt") == "ptxas fatal   : Unresolved extern function '_Z9elsewheref'");
  CHECK(shown("nvlink_undefined.txt") ==
        "nvlink error   : Undefined reference to '_Z9elsewheref' in 'd.o'");
}

TEST_CASE("a compiler's error is shown through ninja, meson, Python and colors") {
  CHECK(shown("python_ninja_header.txt") ==
        "src/bad.cc:1:10: fatal error: ops/table.h: No such file or directory");
  CHECK(shown("meson_compile.txt").starts_with("../x.c:1:25: error: "));
  CHECK(shown("clang_colors.txt") ==
        "src/c.cc:1:18: error: use of undeclared identifier 'nothing'");
  CHECK(shown("cython_setuptools.txt") == "m.pyx:2:19: undeclared name not builtin: unknown_name");
  CHECK(shown("rustc_error.txt") == "error: cannot find macro `nothing` in this scope");
  CHECK(shown("rust_build_script.txt").ends_with("the header zfp.h was not found"));
}

TEST_CASE("an error has its place") {
  const auto place = [](const char* name) {
    return classify_compiler({.code = 1}, tool_output(name)).at.value();
  };
  CHECK(place("rustc_error.txt").file == "src/main.rs");
  CHECK(place("cython_setuptools.txt").file == "m.pyx");
  CHECK(place("nvcc_error.txt").line == 1);
}

TEST_CASE("what CMake and meson say is shown with its message") {
  CHECK(shown("cmake_message.txt") ==
        "CMake Error at CMakeLists.txt:4 (message): the generator found no");
  CHECK(shown("cmake_no_source.txt") ==
        "CMake Error at CMakeLists.txt:3 (add_executable): Cannot find source file: gone.cc");
  CHECK(shown("meson_no_source.txt") == "meson.build:2:0: ERROR: File gone.c does not exist.");
  for (const char* name : {"meson_dependency.txt", "meson_python_dependency.txt"}) {
    INFO(name);
    CHECK(shown(name).find("ERROR: Dependency \"zfp\" not found") != std::string::npos);
  }
}

TEST_CASE("a Python program's exception is shown, and of a chain the cause") {
  CHECK(error_in(tool_output("import_chained.txt")) ==
        "ModuleNotFoundError: No module named 'numpyx'");
  CHECK(error_in(tool_output("python_during.txt")) ==
        "FileNotFoundError: [Errno 2] No such file or directory: '/nowhere/x'");
  CHECK(error_in(tool_output("python_syntax.txt")) == "SyntaxError: invalid syntax");
  CHECK(error_in(tool_output("python_called_process.txt")).empty());
}

TEST_CASE("what a process says when it ends itself is shown") {
  CHECK(shown("terminate.txt") ==
        "std::runtime_error: Tried to register an operator (demo::f) with the same name and the "
        "same overload name twice");
  CHECK(shown("double_free.txt") == "free(): double free detected in tcache 2");
  CHECK(shown("assertion.txt").ends_with("Assertion `rows > 0' failed."));
}

TEST_CASE("lines that only repeat a failure are shown if there is nothing else") {
  CHECK(error_in("error: command '/usr/bin/g++' failed with exit code 1\n") ==
        "error: command '/usr/bin/g++' failed with exit code 1");
  CHECK(error_in("error: command '/usr/bin/g++' failed with exit code 1\nerror: no table\n") ==
        "error: no table");
  CHECK(error_in("-- Performing Test X: error: no\n_configtest.c:1:2: error: no\nfine\n").empty());
}

}  // namespace
}  // namespace pinwheel::env
