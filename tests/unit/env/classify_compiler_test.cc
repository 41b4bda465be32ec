#include "env/classify_compiler.h"

#include <string>

#include "unit/catch.h"
#include "unit/env/tool_output.h"

using namespace pinwheel;

namespace {

env::Diagnosis diagnosis_of(const std::string& name) {
  return env::classify_compiler({.code = 1}, tool_output(name));
}

}  // namespace

TEST_CASE("a compile error is a failed step, and its line is shown") {
  for (const char* name : {"gcc_compile_error.txt", "ninja_compile_error.txt"}) {
    INFO(name);
    const env::Diagnosis diagnosis = diagnosis_of(name);
    CHECK(diagnosis.kind == ErrorKind::step);
    CHECK(diagnosis.line.find("has no member named") != std::string::npos);
  }
  CHECK(diagnosis_of("gcc_missing_header.txt").kind == ErrorKind::step);
  CHECK(diagnosis_of("gcc_missing_header.txt").line.find("nothere.h") != std::string::npos);
  CHECK(diagnosis_of("ld_undefined.txt").kind == ErrorKind::step);
  CHECK(diagnosis_of("ld_undefined.txt").line.find("undefined reference") != std::string::npos);
  CHECK(diagnosis_of("cmake_package_missing.txt").kind == ErrorKind::step);
}

TEST_CASE("a compile error has the place that the compiler names") {
  const std::optional<Location> gcc = diagnosis_of("gcc_compile_error.txt").at;
  REQUIRE(gcc);
  CHECK(gcc->file.ends_with(".cc"));
  CHECK(gcc->line > 0);
  const auto rust = env::classify_compiler(
      {.code = 1},
      "   Compiling demo v0.1.0\nerror[E0425]: cannot find value `x` in this scope\n"
      "  --> src/lib.rs:3:5\n   |\n3  |     x\n");
  REQUIRE(rust.at);
  CHECK(rust.at->file == "src/lib.rs");
  CHECK(rust.at->line == 3);
  CHECK_FALSE(env::classify_compiler({.code = 1}, "error[E0425]: no place").at);
  CHECK_FALSE(diagnosis_of("ninja_compiler_killed.txt").at);
}

TEST_CASE("a compiler that was killed ran out of memory") {
  CHECK(diagnosis_of("ninja_compiler_killed.txt").kind == ErrorKind::out_of_memory);
}

TEST_CASE("a full disk and an unsupported host compiler are environment errors, with the fix") {
  CHECK(diagnosis_of("gcc_disk_full.txt").kind == ErrorKind::environment);
  const env::Diagnosis nvcc = diagnosis_of("nvcc_unsupported_compiler.txt");
  CHECK(nvcc.kind == ErrorKind::environment);
  CHECK(nvcc.hint.find("CUDAHOSTCXX") != std::string::npos);
}

TEST_CASE("torch's complaint of no CUDA toolkit has the compute that brings one") {
  const env::Diagnosis none = env::classify_compiler(
      {.code = 1},
      "    raise OSError('CUDA_HOME environment variable is not set. '\n"
      "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install "
      "root.\n");
  CHECK(none.kind == ErrorKind::environment);
  CHECK(none.line.starts_with("OSError: CUDA_HOME environment variable is not set"));
  CHECK(none.hint.find("`compute: [cuda/13.0]`") != std::string::npos);
}

TEST_CASE("a network fault inside a build is transient unless a compiler found an error too") {
  const std::string retry =
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'X': /\n";
  CHECK(env::classify_compiler({.code = 1}, retry + "ERROR: No matching distribution found for x\n")
            .kind == ErrorKind::transient);
  CHECK(env::classify_compiler({.code = 1}, retry + "a.cc:1:2: error: expected ';'\n").kind ==
        ErrorKind::step);
}

TEST_CASE("a program that is missing or not executable is named, with the fix") {
  for (const char* output : {"sh: 1: exec: nosuch: not found\n", "sh: 1: nosuch: not found",
                             "bash: line 1: nosuch: command not found\n",
                             "env: \u2018nosuch\u2019: No such file or directory\n",
                             "running\nmake: nosuch: No such file or directory\nmake: *** "
                             "[Makefile:2: all] Error 127\n"}) {
    INFO(output);
    const env::Diagnosis missing = env::classify_compiler({.code = 127}, output);
    CHECK(missing.kind == ErrorKind::environment);
    CHECK(missing.line == "`nosuch` is not on the build's PATH");
    CHECK(missing.hint.find("`build.command`") != std::string::npos);
  }
  const env::Diagnosis locked =
      env::classify_compiler({.code = 126}, "sh: 1: exec: ./build.sh: Permission denied\n");
  CHECK(locked.kind == ErrorKind::environment);
  CHECK(locked.line == "`./build.sh` cannot be executed");
  CHECK(env::classify_compiler({.code = 127}, "lost\n").kind == ErrorKind::step);
  CHECK(env::classify_compiler({.code = 1}, "cp: x: No such file or directory\n").kind ==
        ErrorKind::step);
}

TEST_CASE("a library of the system that a build lacks is an environment error with its package") {
  const env::Diagnosis meson = env::classify_compiler(
      {.code = 1},
      "ERROR: x\n../cairo/meson.build:31:12: ERROR: Dependency \"cairo\" not found (tried "
      "pkg-config and cmake)\n");
  CHECK(meson.kind == ErrorKind::environment);
  CHECK(meson.line.starts_with("../cairo/meson.build:31:12"));
  CHECK(meson.hint.find("`apt-get install libcairo2-dev`") != std::string::npos);
  const env::Diagnosis linker =
      env::classify_compiler({.code = 1},
                             "/usr/bin/ld: cannot find -lffi: No such file or directory\ncollect2: "
                             "error: ld returned 1\n");
  CHECK(linker.kind == ErrorKind::environment);
  CHECK(linker.line.find("-lffi") != std::string::npos);
}

TEST_CASE("torch's list of no GPUs is named as that") {
  const env::Diagnosis found = env::classify_compiler(
      {.code = 1},
      "  File \"torch/utils/cpp_extension.py\", line 2727, in _get_cuda_arch_flags\n"
      "    arch_list[-1] += '+PTX'\nIndexError: list index out of range\n");
  CHECK(found.kind == ErrorKind::config);
  CHECK(found.hint.find("`build: {arch-list: [\"8.0\", \"9.0+PTX\"]}`") != std::string::npos);
}

TEST_CASE("the hint for a missing header of CUDA names the part of the toolkit that has it") {
  const env::Diagnosis found =
      env::classify_compiler({.code = 1},
                             "In file included from a.cu:2:\n"
                             "CUDAContextLight.h:8:10: fatal error: cusparse.h: No such file or "
                             "directory\ncompilation terminated.\nerror: command failed\n");
  CHECK(found.kind == ErrorKind::environment);
  CHECK(found.line ==
        "CUDAContextLight.h:8:10: fatal error: cusparse.h: No such file or directory");
  CHECK(found.hint.find("`environment: {toolkit: {pypi: [cusparse]}}`") != std::string::npos);
}

TEST_CASE("a library that is only optional does not explain a compile error") {
  const std::string output =
      "Package 'libffi', required by 'virtual:world', not found\na.c:1:2: error: expected ';'\n";
  CHECK(env::classify_compiler({.code = 1}, output).kind == ErrorKind::step);
}

TEST_CASE("a build that fetches what cannot be reached is transient, and its line is shown") {
  const env::Diagnosis crates = env::classify_compiler(
      {.code = 1},
      "error: failed to get `archery` as a dependency of package `rpds-py v0.28.0`\n\nCaused by:\n"
      "  failed to download from `https://index.crates.io/config.json`\n");
  CHECK(crates.kind == ErrorKind::transient);
  CHECK(crates.line == "failed to download from `https://index.crates.io/config.json`");
  CHECK(crates.hint.find("crates") != std::string::npos);
  const env::Diagnosis git = env::classify_compiler(
      {.code = 1},
      "fatal: unable to access 'https://git.example.org/a.git/': Could not resolve host: x\n"
      "CMake Error at clone.cmake:55 (message):\n  Failed to clone repository:\n");
  CHECK(git.kind == ErrorKind::transient);
  CHECK(git.line.starts_with("fatal: unable to access 'https://git.example.org/a.git/'"));
}

TEST_CASE("the line that a build system marks is shown, with what follows its heading") {
  const auto line_of = [](const std::string& output) {
    return env::classify_compiler({.code = 1}, output).line;
  };
  CHECK(line_of("ERROR: Subproject x is buildable: NO\n\n../meson.build:14:14: ERROR: no x\n") ==
        "../meson.build:14:14: ERROR: no x");
  CHECK(line_of("CMake Error at CMakeLists.txt:3 (message):\n  no luck\n\n") ==
        "CMake Error at CMakeLists.txt:3 (message): no luck");
  CHECK(line_of("ERROR Unmet dependencies (checked against /env/bin/python):\n\tCython>=3.1\n") ==
        "ERROR Unmet dependencies (checked against /env/bin/python): Cython>=3.1");
  CHECK(line_of("error: could not compile `a`\n") == "error: could not compile `a`");
  CHECK(env::classify_compiler({.code = 1},
                               "error: rustup could not choose a version of cargo to "
                               "run\n")
            .hint.find("rustup default") != std::string::npos);
}

TEST_CASE("a download that fails without a network is not tried again, and the hint allows it") {
  const env::Diagnosis lost{ErrorKind::transient,
                            "fatal: unable to access 'https://x/': Could not resolve host: x",
                            "check the network"};
  const env::Diagnosis explained = env::without_network(lost);
  CHECK(explained.kind == ErrorKind::step);
  CHECK(explained.line == lost.line);
  CHECK(explained.hint.find("`build: {network: true}`") != std::string::npos);
  const env::Diagnosis unknown{ErrorKind::step,
                               "error: [Errno -3] Temporary failure in name resolution", ""};
  CHECK(env::without_network(unknown).hint == explained.hint);
  const env::Diagnosis other{ErrorKind::step, "a.c:1:1: error: x", "mend it"};
  CHECK(env::without_network(other).hint == "mend it");
}
