#include "inspect/library_lookup.h"

#include <fmt/format.h>

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

ElfMember with_path(ElfMember member, const std::string& rpath, const std::string& runpath = "") {
  member.elf.rpath = rpath;
  member.elf.runpath = runpath;
  return member;
}

ElfMember module_of(Texts needed, const std::string& rpath = "", const std::string& runpath = "") {
  ElfMember out = with_path(library("demo/_C.so", std::move(needed)), rpath, runpath);
  out.elf.defined.push_back({.name = "PyInit__C"});
  return out;
}

/// "demo/_C.so liba.so": who lacks which.
Texts lost(const std::vector<ElfMember>& libraries, pep::Libc libc = pep::Libc::glibc) {
  Texts out;
  for (const LostLibrary& each : lost_libraries(libraries, {0}, libc)) {
    out.push_back(libraries[each.needed_by].name + " " + each.soname);
  }
  return out;
}

TEST_CASE("an RPATH holds for what its libraries need, a RUNPATH does not") {
  const ElfMember a = library("demo/lib/liba.so", {"libb.so"});
  const ElfMember b = library("demo/lib/libb.so", {});
  CHECK(lost({module_of({"liba.so"}, "$ORIGIN/lib"), a, b}).empty());
  CHECK(lost({module_of({"liba.so"}, "", "$ORIGIN/lib"), a, b}) ==
        Texts{"demo/lib/liba.so libb.so"});
  CHECK(lost({module_of({"liba.so"}, "", "$ORIGIN/lib"), a, b}, pep::Libc::musl).empty());
  CHECK(lost({module_of({"liba.so"}, "$ORIGIN/lib", "$ORIGIN/none"), a, b}) ==
        Texts{"demo/_C.so liba.so"});
  CHECK(lost({module_of({"liba.so"}, "$ORIGIN/lib"), with_path(a, "", "$ORIGIN/none"), b}) ==
        Texts{"demo/lib/liba.so libb.so"});
}

TEST_CASE("a name that is loaded already needs no path") {
  const ElfMember a = library("demo/lib/liba.so", {"libb.so.1"});
  ElfMember b = library("demo/lib/libb-1.so", {});
  b.elf.soname = "libb.so.1";
  CHECK(lost({module_of({"libb-1.so", "liba.so"}, "", "$ORIGIN/lib"), a, b}).empty());
  CHECK(lost({module_of({"liba.so"}, "", "$ORIGIN/lib"), a, b}) ==
        Texts{"demo/lib/liba.so libb.so.1"});
}

TEST_CASE("paths of other modules and absolute ones lead nowhere") {
  const ElfMember a = library("demo/lib/liba.so", {});
  CHECK(lost({module_of({"liba.so"}), a}) == Texts{"demo/_C.so liba.so"});
  CHECK(lost({module_of({"liba.so"}, "/build/demo/lib:$ORIGIN/libs"), a}) ==
        Texts{"demo/_C.so liba.so"});
  CHECK(lost({module_of({"liba.so"}, "$ORIGIN/../demo/./lib"), a}).empty());
  CHECK(lost({module_of({"liba.so"}), library("demo_kit-1.0.data/data/lib/liba.so", {})}).empty());
}

TEST_CASE("libraries that need each other end the lookup, and a path that is added holds below") {
  const std::vector<ElfMember> libraries = {module_of({"liba.so"}),
                                            library("demo/lib/liba.so", {"libb.so"}),
                                            library("demo/lib/libb.so", {"liba.so", "libc2.so"}),
                                            library("demo/lib/libc2.so", {"libb.so"})};
  CHECK(lost(libraries) == Texts{"demo/_C.so liba.so"});
}

TEST_CASE("a long chain is looked up once") {
  std::vector<ElfMember> libraries = {module_of({"lib1.so"}, "$ORIGIN/lib")};
  constexpr int kLength = 20'000;
  for (int i = 1; i < kLength; ++i) {
    libraries.push_back(
        library(fmt::format("demo/lib/lib{}.so", i), {fmt::format("lib{}.so", i + 1)}));
  }
  libraries.push_back(library(fmt::format("demo/other/lib{}.so", kLength), {}));
  CHECK(lost(libraries) == Texts{fmt::format("demo/lib/lib{}.so lib{}.so", kLength - 1, kLength)});
}

TEST_CASE("an import that fails is a finding of who needs the library") {
  WheelFacts facts = native_facts();
  facts.libraries = {module_of({"liba.so"}, "", "$ORIGIN/lib"),
                     library("demo/lib/liba.so", {"libb.so", "libstdc++.so.6"}),
                     library("demo/more/libb.so", {}), library("demo/more/libstdc++.so.6", {})};
  std::vector<Finding> found = findings_of(facts, {}, {"needed-libraries"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].file == "demo/lib/liba.so");
  CHECK(found[0].message ==
        "needs `libb.so`, which is in the wheel as `demo/more/libb.so`, but no search path leads "
        "there");
  CHECK(found[0].hint ==
        "link with `-Wl,-rpath,$ORIGIN/../more`, or let `pinwheel repair` write the path");
  CHECK(found[0].severity == Severity::error);

  SECTION("but a warning if something may have loaded it") {
    facts.library_openers = {"demo/__init__.py"};
    found = findings_of(facts, {}, {"needed-libraries"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::warning);
  }
  SECTION("or another module finds it") {
    facts.libraries.push_back(module_of({"libb.so"}, "$ORIGIN/more"));
    facts.libraries.back().name = "demo/_D.so";
    found = findings_of(facts, {}, {"needed-libraries"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::warning);
  }
  SECTION("and none for what others provide, or for libraries that Python does not import") {
    Expectations expected;
    expected.external = {"libb.so"};
    CHECK(findings_of(facts, expected, {"needed-libraries"}).empty());
    facts.libraries[0].elf.defined.clear();
    CHECK(findings_of(facts, {}, {"needed-libraries"}).empty());
  }
}

}  // namespace
}  // namespace pinwheel::inspect
