#include "host/git/untracked_source.h"

#include <algorithm>
#include <filesystem>

#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

using Names = std::vector<std::string>;

/// The untracked files that are source, in a checkout that tracks `tracked`.
Names source_of(const Scratch& scratch, Names tracked, Names untracked) {
  std::sort(tracked.begin(), tracked.end());
  std::sort(untracked.begin(), untracked.end());
  const UntrackedSource source(scratch.path(), {tracked, untracked});
  std::erase_if(untracked, [&source](const std::string& name) { return !source.contains(name); });
  return untracked;
}

TEST_CASE("code and the configuration of builds are source before git tracks them") {
  const Scratch scratch;
  const Names names = {"CMakeLists.txt", "README.md", "csrc/op.cu", "demo/__init__.py",
                       "meson.build",    "setup.cfg", "setup.py",   "src/lib.rs"};
  CHECK(source_of(scratch, {}, names) == names);
}

TEST_CASE("logs, results and notes in a checkout are no source") {
  const Scratch scratch;
  CHECK(source_of(scratch, {"setup.py", "demo/__init__.py", "src/other/__init__.py"},
                  {"log.txt", "build.log", "report.json", "logs/day/1.txt", "notes.md",
                   "src/out.txt", "core.4711", "demo/run.log", "demo/.a.py.swp", "demo/a.py~",
                   "demo/.#a.py", "nohup.out", "matrix/demo.yaml"}) == Names());
}

TEST_CASE("data below a directory with code is source, also of code that is new") {
  const Scratch scratch;
  const Names names = {"demo/data/deep/a.bin", "demo/table.json", "fresh/__init__.py",
                       "fresh/model.onnx", "tests/expected.txt"};
  CHECK(source_of(scratch, {"demo/__init__.py", "tests/demo_test.py"}, names) == names);
  CHECK(source_of(scratch, {"__init__.py"}, {"table.json"}) == Names{"table.json"});
}

TEST_CASE("what a build file names is source") {
  const Scratch scratch;
  scratch.write("setup.py", "open('VERSION'); glob('share/*.json')");
  scratch.write("MANIFEST.in",
                "include *.dat\nrecursive-include extra *.txt\ngraft whole\n"
                "global-include *.keep.log\nprune share\n");
  const Names names = {"VERSION",      "a.dat",     "extra/deep/a.txt",
                       "share/a.json", "whole/any", "x/y.keep.log"};
  CHECK(source_of(scratch, {"setup.py"}, names) == names);
  CHECK(source_of(scratch, {"setup.py"}, {"VERSIONS", "x/a.dat", "extra/a.md"}) == Names());
}

TEST_CASE("a script is source, another program is not") {
  const Scratch scratch;
  for (const char* const name : {"make-it", "a.out", "plain"}) {
    scratch.write(name, name == std::string_view("a.out") ? "\x7f"
                                                            "ELF"
                                                          : "#!/bin/sh\n");
    const bool runs = name != std::string_view("plain");
    const auto all = std::filesystem::perms::owner_all;
    if (runs) std::filesystem::permissions(scratch.path() / name, all);
  }
  CHECK(source_of(scratch, {}, {"a.out", "make-it", "plain"}) == Names{"make-it"});
}

TEST_CASE("what builds leave is no source") {
  const Scratch scratch;
  CHECK(source_of(scratch, {"setup.py", "demo/__init__.py"},
                  {".venv/lib/a.py", ".venv/pyvenv.cfg", "build/lib/demo/__init__.py",
                   "demo.egg-info/PKG-INFO", "demo/__pycache__/__init__.cpython-311.pyc"}) ==
        Names());
}

}  // namespace
}  // namespace pinwheel::host
