#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

Texts path_findings(const std::string& runpath, const std::string& name = "demo/lib/_C.so") {
  WheelFacts facts = native_facts();
  facts.libraries = {library(name)};
  facts.libraries[0].elf.runpath = runpath;
  Texts out;
  for (const Finding& finding : findings_of(facts)) {
    CHECK(finding.rule == "rpath");
    out.push_back(finding.message + ": " + finding.evidence);
  }
  return out;
}

TEST_CASE("a search path relative to $ORIGIN that stays in site-packages is valid") {
  CHECK(path_findings("").empty());
  CHECK(path_findings("$ORIGIN").empty());
  CHECK(path_findings("${ORIGIN}/../../torch/lib:$ORIGIN/../..").empty());
  CHECK(path_findings("$ORIGIN/../nvidia/lib", "demo_kit-1.0.data/platlib/demo/_C.so").empty());
}

TEST_CASE("every other entry of a search path is a finding") {
  CHECK(path_findings("$ORIGIN:/home/me/build/lib") ==
        Texts{"has a RUNPATH entry that is not relative to $ORIGIN: /home/me/build/lib"});
  CHECK(path_findings("$ORIGIN/../../../lib") ==
        Texts{"has a RUNPATH entry that points outside site-packages: $ORIGIN/../../../lib"});
  CHECK(path_findings("$ORIGIN/../..", "demo_kit-1.0.data/platlib/demo/_C.so").size() == 1);
  CHECK(path_findings("$ORIGIN:").size() == 1);
  CHECK(path_findings("$ORIGINAL/lib").size() == 1);
  WheelFacts facts = native_facts();
  facts.libraries[0].elf.rpath = "lib";
  CHECK(finding_texts(facts) ==
        Texts{"[rpath] `demo/_C.so`: has a RPATH entry that is not relative to $ORIGIN (lib)"});
}

TEST_CASE("the hint is to remove an unused path, and to fix one in use") {
  const auto hint_of = [](const std::vector<std::string>& needed) {
    WheelFacts facts = native_facts();
    facts.libraries = {library("demo/_C.so", needed), library("demo.libs/libown-12.so", {})};
    facts.libraries[1].elf.soname = "libown.so";
    facts.libraries[0].elf.runpath = "/opt/python/lib";
    for (const Finding& finding : findings_of(facts)) {
      if (finding.rule == "rpath") return finding.hint;
    }
    return std::string("no finding");
  };
  const std::string dropped = hint_of({"libc.so.6", "libtorch_cpu.so"});
  CHECK(dropped.starts_with("the entry is unused"));
  CHECK(dropped.find("LDSHARED") != std::string::npos);
  CHECK(dropped.find("patchelf --remove-rpath") != std::string::npos);
  for (const std::string needed : {"libown.so", "libsomewhere.so"}) {
    CHECK(hint_of({"libc.so.6", needed}).starts_with("link with `-Wl,-rpath,$ORIGIN`"));
  }
}

TEST_CASE("a needed library without a provider is a finding of every member that needs it") {
  WheelFacts facts = native_facts("py3-none-manylinux_2_35_x86_64");
  facts.libraries = {
      library("demo/_C.so", {"libtorch_cpu.so", "libc10.so", "libown.so", "libcudart.so.13"}),
      library("demo.libs/libown-12.so", {"libm.so.6", "libgomp.so.1"}),
      library("demo/_D.so", {"libgomp.so.1"})};
  facts.libraries[1].elf.soname = "libown.so";
  const std::vector<Finding> found = findings_of(facts, {}, {"needed-libraries"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == "demo.libs/libown-12.so");
  CHECK(found[0].message == "needs `libgomp.so.1`, which nothing provides");
  CHECK(found[1].file == "demo/_D.so");
  Expectations expected;
  expected.external = {"libgomp.so.*"};
  CHECK(findings_of(facts, expected, {"needed-libraries"}).empty());
}

}  // namespace
}  // namespace pinwheel::inspect
