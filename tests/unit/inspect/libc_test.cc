#include "inspect/libc.h"

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

std::optional<pep::Libc> needed(const std::vector<ElfMember>& files) {
  const Result<std::optional<pep::Libc>> libc = libc_of(files);
  REQUIRE(libc);
  return *libc;
}

TEST_CASE("a binary shows its C library by what it needs") {
  CHECK(needed({library("a.so", {"libc.so.6"})}) == pep::Libc::glibc);
  CHECK(needed({library("a.so", {"libm.so.6"})}) == pep::Libc::glibc);
  CHECK(needed({library("a.so", {"ld-linux-x86-64.so.2"})}) == pep::Libc::glibc);
  CHECK(needed({library("a.so", {"libx.so"}, {{"libx.so", {"GLIBC_2.4"}}})}) == pep::Libc::glibc);
  CHECK(needed({library("a.so", {"libc.musl-x86_64.so.1"})}) == pep::Libc::musl);
  CHECK(needed({library("a.so", {"libc.so"})}) == pep::Libc::musl);
  CHECK(needed({library("a.so", {}), library("b.so", {"ld-musl-aarch64.so.1"})}) ==
        pep::Libc::musl);
  CHECK(needed({library("a.so", {"libstdc++.so.6"})}) == std::nullopt);
}

TEST_CASE("binaries for two C libraries run nowhere") {
  const Result<std::optional<pep::Libc>> libc = libc_of(
      {library("demo/a.so", {"libc.musl-x86_64.so.1"}), library("demo/b.so", {"libc.so.6"})});
  REQUIRE_FALSE(libc);
  CHECK(libc.error().kind == ErrorKind::check);
  CHECK(libc.error().message ==
        "`demo/a.so` needs `libc.musl-x86_64.so.1` of musl, `demo/b.so` needs `libc.so.6` of "
        "glibc: no system has both");
}

TEST_CASE("every system with musl has zlib, none has the runtime of GCC") {
  CHECK(is_musl_system_library("libc.musl-aarch64.so.1"));
  CHECK(is_musl_system_library("libz.so.1"));
  CHECK_FALSE(is_musl_system_library("libstdc++.so.6"));
  CHECK_FALSE(is_musl_system_library("libgcc_s.so.1"));
  CHECK_FALSE(is_musl_system_library("libc.so.6"));
}

}  // namespace
}  // namespace pinwheel::inspect
