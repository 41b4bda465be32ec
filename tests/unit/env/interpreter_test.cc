#include "env/interpreter.h"

#include "unit/catch.h"

namespace pinwheel::env {
namespace {

Interpreter of(const std::string& soabi) {
  return {.path = "/bin/python", .version = "3.12.1", .implementation = "cpython", .soabi = soabi};
}

pep::TagSet tags(const std::string& platforms) {
  const Result<pep::TagSet> parsed = pep::parse_tags("cp312-cp312-" + platforms);
  REQUIRE(parsed);
  return *parsed;
}

const char* const kMuslAbi = "cpython-312-x86_64-linux-musl";
const char* const kGlibcAbi = "cpython-312-x86_64-linux-gnu";

TEST_CASE("a Python is for the C library in the suffix of its modules") {
  CHECK(check_libc(of(kMuslAbi), "musl"));
  CHECK(check_libc(of(kGlibcAbi), "glibc"));
  CHECK(check_libc(of(kGlibcAbi), ""));
  const Done done = check_libc(of(kGlibcAbi), "musl");
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::environment);
  CHECK(done.error().message ==
        "Python 3.12.1 at `/bin/python` is for glibc, the variant is for musl");
  CHECK(done.error().hint.find("quay.io/pypa/musllinux_1_2_{arch}") != std::string::npos);
  CHECK(check_libc(of(kMuslAbi), "glibc").error().hint.find("manylinux_2_28") != std::string::npos);
}

TEST_CASE("a wheel is imported by a Python for the same C library") {
  CHECK_FALSE(other_libc(of(kMuslAbi), tags("musllinux_1_2_x86_64")));
  CHECK_FALSE(other_libc(of(kMuslAbi), tags("any")));
  CHECK_FALSE(other_libc(of(kGlibcAbi), tags("linux_x86_64")));
  CHECK_FALSE(other_libc(of(kGlibcAbi), tags("manylinux_2_28_x86_64.musllinux_1_2_x86_64")));
  CHECK(other_libc(of(kGlibcAbi), tags("musllinux_1_2_x86_64")) ==
        "the wheel is for musl, Python here is for glibc");
  CHECK(other_libc(of(kMuslAbi), tags("manylinux2014_x86_64")) ==
        "the wheel is for glibc, Python here is for musl");
}

}  // namespace
}  // namespace pinwheel::env
