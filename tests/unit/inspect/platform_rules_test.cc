#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

Texts platform_findings(const std::string& platform) {
  return finding_texts(native_facts("py3-none-" + platform));
}

TEST_CASE("a tag as new as the binaries or newer is justified") {
  CHECK(platform_findings("manylinux_2_28_x86_64").empty());
  CHECK(platform_findings("manylinux_2_30_x86_64").empty());
  CHECK(platform_findings("manylinux_2_35_x86_64").empty());
  CHECK(platform_findings("manylinux_2_28_x86_64.manylinux_2_34_x86_64").empty());
}

TEST_CASE("a tag older than the binaries names what rules it out") {
  const std::vector<Finding> found =
      findings_of(native_facts("py3-none-manylinux2014_x86_64.manylinux_2_28_x86_64"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "platform-tag");
  CHECK(found[0].message ==
        "has the tag `manylinux2014_x86_64`, which its binaries do not justify");
  CHECK(found[0].evidence == "`demo/_C.so` needs `GLIBC_2.28` of `libc.so.6`");
  CHECK(found[0].hint == "tag it `manylinux_2_28_x86_64`");
  CHECK(findings_of(native_facts("py3-none-manylinux_2_4_x86_64")).size() == 1);
}

TEST_CASE("a linux tag is not portable") {
  const std::vector<Finding> found = findings_of(native_facts("py3-none-linux_x86_64"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "has the tag `linux_x86_64`, which is not a portable platform tag");
  CHECK(found[0].hint == "tag it `manylinux_2_28_x86_64`");
}

TEST_CASE("binaries and tag must be for the same machine and C library") {
  CHECK(platform_findings("manylinux_2_28_aarch64").size() == 1);
  CHECK(platform_findings("win_amd64").size() == 1);
  CHECK(platform_findings("musllinux_1_2_x86_64") ==
        Texts{"[platform-tag] `demo_kit-1.0-py3-none-musllinux_1_2_x86_64.whl`: has the tag "
              "`musllinux_1_2_x86_64`, which its binaries do not justify (`demo/_C.so` needs "
              "`libc.so.6` of glibc)"});
  WheelFacts mixed = native_facts();
  mixed.libraries.push_back(library("demo/arm.so"));
  mixed.libraries.back().elf.machine = 183;
  CHECK(finding_texts(mixed).size() == 1);
}

TEST_CASE("binaries in a wheel for any platform are a finding") {
  WheelFacts facts = native_facts("py3-none-any");
  CHECK(finding_texts(facts) ==
        Texts{"[platform-tag] `demo_kit-1.0.dist-info/WHEEL`: sets Root-Is-Purelib, but the wheel "
              "has binaries, which some systems expect in another directory (`demo/_C.so`)",
              "[platform-tag] `demo_kit-1.0-py3-none-any.whl`: is tagged `any`, but has binaries "
              "(`demo/_C.so`)"});
}

TEST_CASE("a wheel for a platform that installs into purelib is a warning, as PyPI accepts it") {
  WheelFacts facts = native_facts("py3-none-manylinux_2_28_x86_64");
  facts.wheel_file->root = wheel::RootIs::purelib;
  const std::vector<Finding> found = findings_of(facts, {}, {"platform-tag"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].message.find("sets Root-Is-Purelib") == 0);
}

TEST_CASE("a platform tag without a binary is a finding") {
  WheelFacts facts = pure_facts("py3-none-manylinux_2_28_x86_64");
  CHECK(finding_texts(facts) ==
        Texts{"[platform-tag] `demo_kit-1.0-py3-none-manylinux_2_28_x86_64.whl`: "
              "has a platform tag but no binary (manylinux_2_28_x86_64)"});
  facts.other_elf = {"demo/kernel.hsaco"};
  CHECK(finding_texts(facts).empty());
}

TEST_CASE("binaries that are not judged justify their own tags only") {
  WheelFacts facts = pure_facts("cp312-cp312-win_amd64");
  facts.foreign = {{"demo/_C.cp312-win_amd64.pyd", "PE"}};
  CHECK(findings_of(facts, {}, {"platform-tag"}).empty());
  facts.foreign = {{"demo/_C.so", "Mach-O"}};
  const std::vector<Finding> found = findings_of(facts, {}, {"platform-tag"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "has the tag `win_amd64`, but no binary for it");
  CHECK(found[0].evidence == "`demo/_C.so` is Mach-O");
}

}  // namespace
}  // namespace pinwheel::inspect
