#include "plan/ninja_manifest.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

using Names = std::set<std::string>;

Names files_for(const std::string& manifest, const Names& outputs) {
  return ninja_reads(manifest, outputs).files;
}

}  // namespace

TEST_CASE("the outputs of a manifest are found without escapes and variables") {
  CHECK(ninja_outputs("rule cc\n  command = cc\n"
                      "build a.o: cc a.c\n"
                      "build b$ c.o | d$:e.o $\n    f.o: cc b.c\n"
                      "build x | ${dir}x: phony\n"
                      "build cut") ==
        std::set<std::string>{"a.o", "b c.o", "d:e.o", "f.o", "x", "cut"});
}

TEST_CASE("the files of finished commands are inputs of every kind") {
  const std::string manifest =
      "build a.so m.lib: link x.o /usr/lib/libz.a | /opt/dep.so || /opt/order |@ check\n"
      "  flags = -O2\n"
      "build b.so: link y.o $\n    /usr/lib/lib$ b.a\n";
  CHECK(files_for(manifest, {"a.so"}) ==
        Names{"x.o", "/usr/lib/libz.a", "/opt/dep.so", "/opt/order", "@", "check"});
  CHECK(files_for(manifest, {"m.lib"}) == files_for(manifest, {"a.so"}));
  CHECK(files_for(manifest, {"b.so"}) == Names{"y.o", "/usr/lib/lib b.a"});
  CHECK(files_for(manifest, {}).empty());
  CHECK(files_for("build", {"a"}).empty());
  CHECK(files_for("build a", {"a"}).empty());
  CHECK(files_for("build a:", {"a"}).empty());
}

TEST_CASE("the inputs of aliases and of the manifest itself count always") {
  CHECK(files_for("build libs: phony /usr/lib/libz.a\n"
                  "build build.ninja: RERUN_CMAKE | /usr/share/cmake/Module.cmake\n",
                  {}) == Names{"/usr/lib/libz.a", "/usr/share/cmake/Module.cmake"});
}

TEST_CASE("names are those of ninja's log, and variables of the file have their values") {
  const std::string manifest =
      "root = /opt\n"
      "libs.dir = $root/lib\n"
      "build ./a.so: link ${libs.dir}/libz.a $root//x/../y.a $unknown/z.a $$w.a\n"
      "root = /other\n"
      "build ${root}/b.so: link $root/libb.a\n";
  CHECK(files_for(manifest, {"a.so"}) == Names{"/opt/lib/libz.a", "/opt/y.a", "/z.a", "$w.a"});
  CHECK(files_for(manifest, {"/other/b.so"}) == Names{"/other/libb.a"});
}

TEST_CASE("libraries and their directories are those of all options") {
  const NinjaReads reads = ninja_reads(
      "ldflags = -L/opt/b -lz\n"
      "build a.so: link a.o\n"
      "  LINK_LIBRARIES = -L/opt/a -L/opt/b -l:libx.a  '-lm' -l $\n -lz re-lay -L$dir/x\n",
      {});
  CHECK(reads.libraries == Names{":libx.a", "m", "z"});
  CHECK(reads.library_directories == std::vector<std::string>{"/opt/b", "/opt/a"});
}
