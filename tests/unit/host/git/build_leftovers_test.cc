#include "host/git/build_leftovers.h"

#include <algorithm>

#include "unit/catch.h"
#include "unit/host/scratch.h"

namespace pinwheel::host {
namespace {

using Texts = std::vector<std::string>;

/// The files of a source that are no leftovers.
Texts source_of(const Scratch& scratch, Texts names) {
  std::sort(names.begin(), names.end());
  const BuildLeftovers leftovers(scratch.path(), names);
  Texts out;
  for (const std::string& name : names) {
    if (!leftovers.contains(name)) out.push_back(name);
  }
  return out;
}

TEST_CASE("caches, metadata and outputs of builds are leftovers") {
  const Scratch scratch;
  CHECK(source_of(scratch,
                  {"demo/__init__.py", "demo/__pycache__/__init__.cpython-311.pyc",
                   "demo.egg-info/PKG-INFO", "src/demo.egg-info/SOURCES.txt", ".eggs/x/y.py",
                   "_skbuild/linux/x", ".pytest_cache/v/x", "build/lib/demo/__init__.py",
                   "build/lib.linux-x86_64-cpython-311/demo/c.so",
                   "build/temp.linux-x86_64-cpython-311/demo/c.o", "build/bdist.linux-x86_64/x",
                   "dist/demo-1.0-py3-none-any.whl", "dist/demo-1.0.tar.gz"}) ==
        Texts{"demo/__init__.py"});
}

TEST_CASE("what only has a name like theirs is source") {
  const Scratch scratch;
  const Texts source = {"build/rules.mk",  "build/tools/a.py", "demo/build/lib/a.py",
                        "demo/dist/a.whl", "dist/bundle.js",   "dist/sub/a.whl",
                        "lib/a.py",        "notes.egg-info",   "src/lib.rs"};
  CHECK(source_of(scratch, source) == source);
}

TEST_CASE("trees are known by what marks them") {
  const Scratch scratch;
  CHECK(source_of(scratch, {"a.py", "out/CMakeCache.txt", "out/x/y.o", "target/CACHEDIR.TAG",
                            "target/release/x", "builddir/meson-private/x", "builddir/y.o",
                            ".venv/pyvenv.cfg", ".venv/bin/python", "output/a.py"}) ==
        Texts{"a.py", "output/a.py"});
}

TEST_CASE("the metadata of an unpacked sdist belongs to it") {
  const Scratch scratch;
  const Texts source = {"PKG-INFO", "demo.egg-info/SOURCES.txt"};
  CHECK(source_of(scratch, source) == source);
}

TEST_CASE("modules are leftovers where the project makes them, and source where it ships them") {
  const Scratch scratch;
  scratch.write("setup.py", "Extension('demo._named', ['x.c'])");
  CHECK(source_of(scratch, {"demo/_named.cpython-311-x86_64-linux-gnu.so", "demo/_named.abi3.so",
                            "demo/_beside.cpython-312-x86_64-linux-gnu.so", "demo/_beside.pyx",
                            "demo/_name.abi3.so", "demo/_shipped.abi3.so", "demo/libnamed.so",
                            "demo/_named.so"}) == Texts{"demo/_beside.pyx", "demo/_name.abi3.so",
                                                        "demo/_named.so", "demo/_shipped.abi3.so",
                                                        "demo/libnamed.so"});
}

}  // namespace
}  // namespace pinwheel::host
