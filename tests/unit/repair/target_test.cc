#include "repair/target.h"

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

TEST_CASE("wheels for musl cannot be repaired") {
  CHECK(check_repairable(demo_wheel({member("demo/_C.so", {"libc.so.6"})})));
  CHECK_FALSE(check_repairable(demo_wheel({member("demo/_C.so", {})}, "", "musllinux_1_2_x86_64")));
  CHECK_FALSE(check_repairable(demo_wheel({member("demo/_C.so", {"libc.musl-x86_64.so.1"})})));
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
