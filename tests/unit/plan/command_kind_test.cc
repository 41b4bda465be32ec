#include "plan/command_kind.h"

#include "base/text.h"
#include "base/utf8.h"
#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

BuildProcessFacts facts(const std::string& line) {
  return build_process(split(line, ' '));
}

}  // namespace

TEST_CASE("the commands of a build by their arguments") {
  struct Row {
    const char* line;
    CommandKind kind;
    const char* output;
  };
  const std::vector<Row> rows = {
      {"gcc -O2 -c a.c -o build/a.o", CommandKind::compile, "build/a.o"},
      {"/usr/bin/x86_64-linux-gnu-g++-12 -c a.cc -o a.o", CommandKind::compile, "a.o"},
      {"x86_64-conda-linux-gnu-c++ -c a.cc -o a.o", CommandKind::compile, "a.o"},
      {"ccache /usr/bin/clang++-14 -c a.cc -o a.o", CommandKind::compile, "a.o"},
      {"clang++ -x cuda -c a.cc -o a.o", CommandKind::device_compile, "a.o"},
      {"/usr/local/cuda/bin/nvcc -c k.cu -o k.o", CommandKind::device_compile, "k.o"},
      {"nvcc -c a.cpp -o a.o", CommandKind::compile, "a.o"},
      {"nvcc -dlink a.o b.o -o d.o", CommandKind::link, "d.o"},
      {"hipcc -c k.hip -o k.o", CommandKind::device_compile, "k.o"},
      {"cc -c conftest.c", CommandKind::compile, "conftest.c"},
      {"g++ -shared a.o b.o -o m.so", CommandKind::link, "m.so"},
      {"g++ -shared a.cc -o m.so", CommandKind::compile, "m.so"},
      {"gcc -c -MMD a.c -o a.o", CommandKind::compile, "a.o"},
      {"ld.lld -o x a.o", CommandKind::link, "x"},
      {"gcc-ar rcs libx.a a.o", CommandKind::archive, "libx.a"},
      {"rustc --crate-name serde lib.rs", CommandKind::compile, "serde"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const BuildProcessFacts found = facts(row.line);
    CHECK(found.process == BuildProcess::command);
    CHECK(found.kind == row.kind);
    CHECK(found.output == row.output);
  }
}

TEST_CASE("processes of a build that are no commands") {
  for (const char* const line :
       {"gcc --version", "gcc -E -dM -", "gcc -print-search-dirs", "g++ -v", "ccache -s", "sccache",
        "rustc -vV", "rustc --crate-name ___ --print=cfg", "ar --version", "ninja -t compdb",
        "gcc"}) {
    CAPTURE(line);
    CHECK(facts(line).process == BuildProcess::question);
  }
  for (const char* const line : {"make -j4", "/bin/sh -c gcc", "python3.11 setup.py",
                                 "cmake --build .", "", "cargo build"}) {
    CAPTURE(line);
    CHECK(facts(line).process == BuildProcess::parent);
  }
  CHECK(build_process({}).process == BuildProcess::parent);
  for (const char* const line : {"ninja", "/usr/bin/ninja-build -C b -j2", "samu -v"}) {
    CHECK(facts(line).process == BuildProcess::ninja);
  }
}

TEST_CASE("listed names of outputs are short and valid") {
  CHECK(listed_output("a/b.o") == "a/b.o");
  std::string name;
  for (size_t i = 0; i < kMostOutputName; ++i) name += "\xc3\xa4";
  name += "x";
  const std::string listed = listed_output(name);
  CHECK(listed.size() <= kMostOutputName);
  CHECK(is_utf8(listed));
  CHECK(name.ends_with(listed));
  CHECK(listed_output("a\xff.o") == "a?.o");
}
