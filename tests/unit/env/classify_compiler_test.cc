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

TEST_CASE("a compiler that was killed ran out of memory") {
  CHECK(diagnosis_of("ninja_compiler_killed.txt").kind == ErrorKind::out_of_memory);
}

TEST_CASE("a full disk and an unsupported host compiler are environment errors, with the fix") {
  CHECK(diagnosis_of("gcc_disk_full.txt").kind == ErrorKind::environment);
  const env::Diagnosis nvcc = diagnosis_of("nvcc_unsupported_compiler.txt");
  CHECK(nvcc.kind == ErrorKind::environment);
  CHECK(nvcc.hint.find("CUDAHOSTCXX") != std::string::npos);
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
