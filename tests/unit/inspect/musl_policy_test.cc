#include "inspect/musl_policy.h"

#include "inspect/needed_library.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

ElfMember musl_library(std::vector<std::string> needed = {}) {
  needed.emplace_back("libc.musl-x86_64.so.1");
  return library("demo/_C.so", std::move(needed));
}

WheelFacts musl_facts(const std::string& platform, ElfMember member = musl_library()) {
  WheelFacts facts = native_facts("py3-none-" + platform);
  facts.libraries = {std::move(member)};
  return facts;
}

binary::Symbol import_of(const std::string& name) {
  binary::Symbol symbol;
  symbol.name = name;
  symbol.binding = binary::Binding::global;
  return symbol;
}

TEST_CASE("binaries for musl justify its policy, and no manylinux one") {
  CHECK(platform_tag({musl_library()})->tag == "musllinux_1_2_x86_64");
  CHECK(platform_tag({musl_library({"libz.so.1"})})->tag == "musllinux_1_2_x86_64");
  ElfMember arm = musl_library();
  arm.elf.machine = 183;
  CHECK(platform_tag({arm})->tag == "musllinux_1_2_aarch64");
  CHECK(finding_texts(musl_facts("musllinux_1_2_x86_64")).empty());
  CHECK(finding_texts(musl_facts("musllinux_1_1_x86_64")).empty());
  CHECK(finding_texts(musl_facts("musllinux_1_5_x86_64")).empty());

  const std::vector<Finding> found = findings_of(musl_facts("manylinux_2_28_x86_64"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message ==
        "has the tag `manylinux_2_28_x86_64`, which its binaries do not justify");
  CHECK(found[0].evidence == "`demo/_C.so` needs `libc.musl-x86_64.so.1` of musl");
  CHECK(found[0].hint == "tag it `musllinux_1_2_x86_64`");
}

TEST_CASE("libraries that no system with musl promises rule its policies out") {
  const Result<PlatformTag> tag = platform_tag({musl_library({"libstdc++.so.6"})});
  REQUIRE(tag);
  CHECK(tag->tag == "linux_x86_64");
  CHECK(tag->reasons == std::vector<std::string>{"`demo/_C.so` needs `libstdc++.so.6`"});
  CHECK(platform_tag({musl_library({"libstdc++.so.6"})}, {"libstdc++.so.*"})->tag ==
        "musllinux_1_2_x86_64");
}

TEST_CASE("a function of musl 1.2 rules 1.1 out, unless the wheel has it") {
  ElfMember newer = musl_library();
  newer.elf.undefined = {import_of("malloc"), import_of("qsort_r")};
  const std::vector<Finding> found = findings_of(musl_facts("musllinux_1_1_x86_64", newer));
  REQUIRE(found.size() == 1);
  CHECK(found[0].evidence == "`demo/_C.so` needs `qsort_r`, new in musl 1.2.3");
  CHECK(musl_objections({newer}, {}, 2).empty());
  newer.elf.defined = {import_of("qsort_r")};
  CHECK(musl_objections({newer}, {}, 1).empty());
}

TEST_CASE("a tag older than every policy is a finding") {
  const std::vector<Finding> found = findings_of(musl_facts("musllinux_1_0_x86_64"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].evidence == "no policy is as old as musllinux_1_0_x86_64");
}

TEST_CASE("binaries for two C libraries are a finding under any tag") {
  WheelFacts facts = musl_facts("musllinux_1_2_x86_64");
  facts.libraries.push_back(library("demo/other.so"));
  const std::vector<Finding> found = findings_of(facts, {}, {"platform-tag"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("no system has both") != std::string::npos);
}

TEST_CASE("musl itself comes from the system of a wheel that is for it") {
  const WheelFacts facts = musl_facts("musllinux_1_2_x86_64", musl_library({"libgcc_s.so.1"}));
  const std::vector<NeededLibrary> needed = needed_libraries(facts, {});
  REQUIRE(needed.size() == 2);
  CHECK(needed[0].provider == Provider::system);
  CHECK(needed[1].soname == "libgcc_s.so.1");
  CHECK(needed[1].provider == Provider::nobody);
}

TEST_CASE("packed relocations rule musl 1.1 out") {
  ElfMember packed = musl_library();
  packed.elf.packed_relocations = true;
  CHECK(finding_texts(musl_facts("musllinux_1_1_x86_64", packed)).size() == 1);
}

}  // namespace
}  // namespace pinwheel::inspect
