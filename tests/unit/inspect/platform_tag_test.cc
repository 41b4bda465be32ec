#include "inspect/platform_tag.h"

#include "inspect/policy.h"
#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

ElfMember file(std::vector<std::string> needed, std::vector<binary::VersionNeed> versions = {}) {
  ElfMember out;
  out.name = "demo/_C.so";
  out.elf.machine = 62;
  out.elf.needed = std::move(needed);
  out.elf.version_needs = std::move(versions);
  return out;
}

std::string tag_of(const ElfMember& member, const std::vector<std::string>& external = {}) {
  const Result<PlatformTag> tag = platform_tag({member}, external);
  REQUIRE(tag);
  return tag->tag;
}

TEST_CASE("the oldest policy that allows every version is the tag") {
  CHECK(tag_of(file({"libc.so.6"}, {{"libc.so.6", {"GLIBC_2.2.5"}}})) == "manylinux_2_5_x86_64");
  CHECK(tag_of(file({}, {{"libc.so.6", {"GLIBC_2.28"}}})) == "manylinux_2_28_x86_64");
  CHECK(tag_of(file({}, {{"libstdc++.so.6", {"GLIBCXX_3.4.26"}}})) == "manylinux_2_31_x86_64");
  CHECK(tag_of(file({}, {{"libc.so.6", {"GLIBC_ABI_DT_RELR"}}})) == "manylinux_2_36_x86_64");
  CHECK(tag_of(file({}, {{"libstdc++.so.6", {"CXXABI_FLOAT128"}}})) == "manylinux_2_24_x86_64");
}

TEST_CASE("binaries that no policy allows have the linux tag and a reason") {
  const Result<PlatformTag> tag = platform_tag({file({"libfoo.so.1"})});
  REQUIRE(tag);
  CHECK(tag->tag == "linux_x86_64");
  CHECK(tag->reasons == std::vector<std::string>{"`demo/_C.so` needs `libfoo.so.1`"});
  CHECK(tag_of(file({}, {{"libc.so.6", {"GLIBC_PRIVATE"}}})) == "linux_x86_64");
  CHECK(tag_of(file({}, {{"libc.so.6", {"GLIBC_2.99"}}})) == "linux_x86_64");
}

TEST_CASE("libraries provided by torch, a declaration or the wheel do not count") {
  CHECK(tag_of(file({"libtorch_cpu.so", "libc10.so", "libcuda.so.1", "libcudart.so.13"},
                    {{"libcudart.so.13", {"libcudart.so.13"}}})) == "manylinux_2_5_x86_64");
  CHECK(tag_of(file({"libfoo.so.1"}, {{"libfoo.so.1", {"GLIBC_2.99"}}}), {"libfoo.so.*"}) ==
        "manylinux_2_5_x86_64");
  ElfMember own = file({});
  own.name = "demo/libfoo.so.1";
  CHECK(platform_tag({file({"libfoo.so.1"}), own})->tag == "manylinux_2_5_x86_64");
}

TEST_CASE("no ELF file is any platform, two architectures are an error") {
  CHECK(platform_tag({})->tag == "any");
  ElfMember arm = file({});
  arm.elf.machine = 183;
  CHECK(tag_of(arm) == "manylinux_2_17_aarch64");
  const Result<PlatformTag> mixed = platform_tag({file({}), arm});
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().kind == ErrorKind::check);
}

TEST_CASE("packed relocations need glibc 2.36, and a version that announces them") {
  const auto tag_of = [](std::vector<binary::VersionNeed> needs) {
    ElfMember packed = library("demo/_C.so", {"libc.so.6"}, std::move(needs));
    packed.elf.packed_relocations = true;
    return platform_tag({packed})->tag;
  };
  CHECK(tag_of({{"libc.so.6", {"GLIBC_2.2.5"}}}) == "linux_x86_64");
  CHECK(tag_of({{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_ABI_DT_RELR"}}}) == "manylinux_2_36_x86_64");
  CHECK(tag_of({}) == "manylinux_2_36_x86_64");
}

}  // namespace
}  // namespace pinwheel::inspect
