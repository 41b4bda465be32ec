#include "inspect/glibc.h"

#include "unit/catch.h"

using namespace pinwheel::inspect;

namespace {

ElfMember file(const std::string& name, std::vector<pinwheel::binary::VersionNeed> versions) {
  ElfMember out;
  out.name = name;
  out.elf.version_needs = std::move(versions);
  return out;
}

}  // namespace

TEST_CASE("versions missing from a C library are reported with file, version and library") {
  const std::vector<ElfMember> files = {
      file("demo/_C.so", {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.34"}},
                          {"libm.so.6", {"GLIBC_2.35"}},
                          {"libstdc++.so.6", {"GLIBCXX_3.4.30"}}}),
      file("demo/old.so", {{"libc.so.6", {"GLIBC_2.31"}}})};
  CHECK(newer_than_glibc(files, "2.31") ==
        std::vector<std::string>{"`demo/_C.so` needs `GLIBC_2.34` of `libc.so.6`",
                                 "`demo/_C.so` needs `GLIBC_2.35` of `libm.so.6`"});
  CHECK(newer_than_glibc(files, "2.34").size() == 1);
  CHECK(newer_than_glibc(files, "2.36").empty());
  CHECK(newer_than_glibc(files, "3.0").empty());
}

TEST_CASE("numbers are compared as numbers") {
  const std::vector<ElfMember> files = {file("a.so", {{"libc.so.6", {"GLIBC_2.9"}}})};
  CHECK(newer_than_glibc(files, "2.17").empty());
  CHECK(newer_than_glibc(files, "2.5").size() == 1);
}

TEST_CASE("versions that are not releases, and an unknown C library, have no findings") {
  const std::vector<ElfMember> files = {
      file("a.so", {{"libc.so.6", {"GLIBC_PRIVATE", "GLIBC_ABI_DT_RELR", "GLIBC_2.99"}}})};
  CHECK(newer_than_glibc(files, "2.31").size() == 1);
  CHECK(newer_than_glibc(files, "-").empty());
  CHECK(newer_than_glibc(files, "").empty());
}
