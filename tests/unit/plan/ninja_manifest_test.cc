#include "plan/ninja_manifest.h"

#include <map>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

using Names = std::set<std::string>;
using NinjaFiles = std::map<std::string, std::string>;

Result<NinjaManifest> parsed_ninja(const NinjaFiles& files) {
  return parse_ninja_manifest(files.at("build.ninja"),
                              [&files](const std::string& name) -> Result<std::string> {
                                const auto found = files.find(name);
                                if (found != files.end()) return found->second;
                                return fail(ErrorKind::environment, "there is no " + name);
                              });
}

NinjaManifest ninja_of(const NinjaFiles& files) {
  const Result<NinjaManifest> manifest = parsed_ninja(files);
  REQUIRE(manifest);
  return *manifest;
}

NinjaManifest ninja_of(const std::string& text) {
  return ninja_of(NinjaFiles{{"build.ninja", text}});
}

Names files_for(const std::string& text, const Names& outputs) {
  return ninja_reads(ninja_of(text), outputs).files;
}

std::string ninja_failure(const NinjaFiles& files) {
  const Result<NinjaManifest> manifest = parsed_ninja(files);
  return manifest ? "" : manifest.error().message;
}

}  // namespace

TEST_CASE("the outputs of a manifest are found without escapes and with variables") {
  CHECK(ninja_outputs(ninja_of("rule cc\n  command = cc\n"
                               "# build no.o: cc $\n"
                               "build a.o: cc a.c\n"
                               "build b$ c.o | d$:e.o $\n    f.o: cc b.c\n"
                               "dir = y/\n"
                               "default $\nbuild none\n"
                               "build x | ${dir}x: phony\n"
                               "build cut")) ==
        Names{"a.o", "b c.o", "d:e.o", "f.o", "x", "y/x", "cut"});
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
      ninja_of(
          "ldflags = -L/opt/b -lz\n"
          "build a.so: link a.o\n"
          "  LINK_LIBRARIES = -L/opt/a -L/opt/b -l:libx.a  '-lm' -l $\n -lz re-lay -L$$dir/x\n"),
      {});
  CHECK(reads.libraries == Names{":libx.a", "m", "z"});
  CHECK(reads.library_directories == std::vector<std::string>{"/opt/b", "/opt/a"});
}

TEST_CASE("the names of libraries may contain variables of files, statements and rules") {
  const NinjaReads reads = ninja_reads(ninja_of("name = one\n"
                                                "rule unused\n  command = ld -lno\n"
                                                "rule link\n"
                                                "  command = ld $in -l$name '-l${more}' -lfixed\n"
                                                "build a.so: link a.o\n"
                                                "build b.so: link b.o\n"
                                                "  name = two\n"
                                                "  LIBS = -l$name -L$dir/lib\n"
                                                "more = late -lafter\n"
                                                "dir = /opt\n"
                                                "build c.so: link c.o\n"
                                                "  LIBS = -L$dir/lib\n"),
                                       {});
  // `LIBS` of b.so sees the variables of the file, as they are at that line.
  CHECK(reads.libraries == Names{"one", "two", "late", "after", "fixed"});
  CHECK(reads.library_directories == std::vector<std::string>{"/lib", "/opt/lib"});
}

TEST_CASE("a statement may continue on the next line wherever it has a space") {
  const NinjaReads reads = ninja_reads(ninja_of("rule $\n  link\n  command $\n  = ld -lz\n"
                                                "v $\n = /opt\n"
                                                "build m.so: $\n    link m.o\n"
                                                "build all: $\n  phony $v/x.a\n"),
                                       {"m.so"});
  CHECK(reads.files == Names{"m.o", "/opt/x.a"});
  CHECK(reads.libraries == Names{"z"});
}

TEST_CASE("an output that ends with a slash is named as in ninja's log") {
  CHECK(ninja_outputs(ninja_of("build out/: cc a.c\n")) == Names{"out"});
}

TEST_CASE("the names in a statement have its own variables, then those of the file") {
  const std::string manifest =
      "dir = /usr\n"
      "build $out.so: link $dir/a.a $other/b.a\n"
      "  out = m\n"
      "# a comment $\n"
      "  dir = $dir/local\n"
      "  other = $dir/other\n"
      "build n.so: link $dir/c.a $out/d.a\n";
  CHECK(files_for(manifest, {"m.so"}) == Names{"/usr/local/a.a", "/usr/other/b.a"});
  CHECK(files_for(manifest, {"n.so"}) == Names{"/usr/c.a", "/d.a"});
}

TEST_CASE(
    "an included file shares its variables and rules, as in a build for many configurations") {
  const NinjaManifest manifest =
      ninja_of({{"build.ninja", "config = Release\ninclude CMakeFiles/impl-$config.ninja\n"},
                {"CMakeFiles/impl-Release.ninja",
                 "include CMakeFiles/rules.ninja\n"
                 "build m.so: link m.o $libs/libz.a\n  name = m\n"
                 "build n.so: link n.o\n"},
                {"CMakeFiles/rules.ninja", "libs = /opt\nrule link\n  command = ld -l$name\n"}});
  CHECK(ninja_outputs(manifest) == Names{"m.so", "n.so"});
  CHECK(
      ninja_reads(manifest, {"m.so"}) ==
      NinjaReads{{"CMakeFiles/impl-Release.ninja", "CMakeFiles/rules.ninja", "m.o", "/opt/libz.a"},
                 {"m"},
                 {}});
}

TEST_CASE("the variables and rules of a subninja are its own") {
  const NinjaManifest manifest = ninja_of({{"build.ninja",
                                            "dir = /outer\n"
                                            "both = /both\n"
                                            "rule link\n  command = ld -louter$v\n"
                                            "subninja sub/sub.ninja\n"
                                            "build a.so: link $dir/a.a $both/a.a $own/a.a\n"},
                                           {"sub/sub.ninja",
                                            "build c.so: link c.o\n"
                                            "dir = /inner\n"
                                            "own = /own\n"
                                            "v = 1\n"
                                            "rule link\n  command = ld -linner$v\n"
                                            "build b.so: link $dir/b.a $both/b.a $own/b.a\n"}});
  const NinjaReads reads = ninja_reads(manifest, {"a.so", "b.so"});
  CHECK(reads.files == Names{"sub/sub.ninja", "/outer/a.a", "/both/a.a", "/a.a", "/inner/b.a",
                             "/both/b.a", "/own/b.a"});
  CHECK(reads.libraries == Names{"outer", "outer1", "inner1"});
}

TEST_CASE("a manifest is refused if an included file is missing, or includes itself") {
  CHECK(ninja_failure({{"build.ninja", "include $x/none.ninja\n"}}) == "there is no /none.ninja");
  CHECK(ninja_failure({{"build.ninja", "subninja none\nbuild a: b\n"}}) == "there is no none");
  CHECK(
      ninja_failure({{"build.ninja", "include a\n"}, {"a", "subninja b\n"}, {"b", "include a"}}) ==
      "`build.ninja` has more than 100 levels of included files, the limit for a `build.ninja`");
}

TEST_CASE("a manifest of any size needs limited memory and time") {
  NinjaFiles many = {{"build.ninja", ""}, {"a", ""}};
  for (int i = 0; i <= 10'000; ++i) many["build.ninja"] += "subninja a\n";
  CHECK(ninja_failure(many) ==
        "`build.ninja` has more than 10000 included files, the limit for a `build.ninja`");
  std::string text = "v = " + std::string(2'000'000, 'x') + "\n";
  for (int i = 0; i < 150; ++i) text += "w = $v\n";
  CHECK(ninja_failure({{"build.ninja", text}}).starts_with("`build.ninja` is larger than"));
}
