#include "repair/facts.h"

#include "unit/repair/demo_repair.h"

namespace pinwheel::repair {
namespace {

TEST_CASE("a platform may be written in every usual way") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {})});
  CHECK(parse_target("", wheel)->minor == std::nullopt);
  CHECK(parse_target("auto", wheel)->minor == std::nullopt);
  CHECK(parse_target("manylinux_2_28_x86_64", wheel)->minor == 28);
  CHECK(parse_target("manylinux_2_28", wheel)->minor == 28);
  CHECK(parse_target("manylinux2014", wheel)->minor == 17);
}

TEST_CASE("other platforms are usage errors") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {})});
  const std::string text =
      GENERATE(as<std::string>(), "manylinux", "linux_x86_64", "musllinux_1_2_x86_64",
               "manylinux_2_28_aarch64", "manylinux_2_4", "manylinux_3_1", "any");
  const Result<Target> target = parse_target(text, wheel);
  REQUIRE_FALSE(target);
  CHECK(target.error().kind == ErrorKind::usage);
}

TEST_CASE("a platform for musl is for wheels that are for musl") {
  const inspect::WheelFacts wheel = demo_wheel({member("demo/_C.so", {"libc.musl-x86_64.so.1"})});
  CHECK(parse_target("musllinux_1_2_x86_64", wheel)->minor == 2);
  CHECK(parse_target("musllinux_1_1", wheel)->minor == 1);
  CHECK(parse_target("auto", wheel)->minor == std::nullopt);
  for (const std::string text : {"manylinux_2_28", "musllinux_1_0", "musllinux_1_2_aarch64"}) {
    const Result<Target> target = parse_target(text, wheel);
    REQUIRE_FALSE(target);
    CHECK(target.error().kind == ErrorKind::usage);
  }
}

TEST_CASE("what a wheel needs says its C library, before its tags") {
  CHECK(libc_of(demo_wheel({member("demo/_C.so", {"libc.so.6"})})) == pep::Libc::glibc);
  CHECK(libc_of(demo_wheel({member("demo/_C.so", {"libc.so"})})) == pep::Libc::musl);
  CHECK(libc_of(demo_wheel({member("demo/_C.so", {})}, "", "musllinux_1_2_x86_64")) ==
        pep::Libc::musl);
  CHECK(libc_of(demo_wheel({member("demo/_C.so", {"libc.so.6"})}, "", "musllinux_1_2_x86_64")) ==
        pep::Libc::glibc);
}

TEST_CASE("a wheel that needs two C libraries cannot be repaired") {
  CHECK(check_repairable(demo_wheel({member("demo/_C.so", {"libc.so.6"})})));
  CHECK(check_repairable(demo_wheel({member("demo/_C.so", {"libc.musl-x86_64.so.1"})})));
  const Done done = check_repairable(demo_wheel(
      {member("demo/a.so", {"libc.musl-x86_64.so.1"}), member("demo/b.so", {"libc.so.6"})}));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::check);
}

TEST_CASE("an architecture without policies cannot be repaired") {
  inspect::ElfMember library = member("demo/_C.so", {});
  library.elf.machine = 21;
  const Done done = check_repairable(demo_wheel({library}));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::check);
}

}  // namespace
}  // namespace pinwheel::repair
