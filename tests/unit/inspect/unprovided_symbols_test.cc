#include "inspect/unprovided_symbols.h"

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

enum class As { module, library };

WheelFacts importing(const std::string& platform, const Texts& symbols, As as = As::module,
                     std::vector<std::string> needed = {"libc.so.6"}) {
  WheelFacts facts = native_facts("py3-none-" + platform);
  facts.libraries = {library("demo/_C.so", std::move(needed))};
  if (as == As::module) facts.libraries[0].elf.defined = {{"PyInit__C"}};
  for (const std::string& symbol : symbols) facts.libraries[0].elf.undefined.push_back({symbol});
  return facts;
}

/// "error NAMES" of the rule's finding; empty without one.
std::string verdict(const WheelFacts& facts) {
  const std::vector<Finding> found = findings_of(facts, {}, {"undefined-symbols"});
  if (found.empty()) return "";
  REQUIRE(found.size() == 1);
  return std::string(to_string(found[0].severity)) + " " + found[0].evidence;
}

const std::string kGlibc = "manylinux_2_28_x86_64";
const std::string kMusl = "musllinux_1_2_x86_64";
const std::vector<std::string> kNeedsMusl = {"libc.musl-x86_64.so.1"};

TEST_CASE("the table has what the C libraries and zlib export, and since when") {
  CHECK(exported_since("malloc", pep::Libc::glibc) == LibcRelease{pep::Libc::glibc, 2});
  CHECK(exported_since("strlcpy", pep::Libc::glibc) == LibcRelease{pep::Libc::glibc, 38});
  CHECK(exported_since("pow", pep::Libc::glibc));
  CHECK(exported_since("dlopen", pep::Libc::glibc));
  CHECK(exported_since("pthread_create", pep::Libc::glibc));
  CHECK(exported_since("malloc", pep::Libc::musl) == LibcRelease{pep::Libc::musl, 1, 24});
  CHECK(exported_since("qsort_r", pep::Libc::musl) == LibcRelease{pep::Libc::musl, 2, 3});
  CHECK(exported_since("open64", pep::Libc::musl));
  for (const char* of_glibc : {"__cxa_thread_atexit_impl", "__fprintf_chk", "backtrace"}) {
    INFO(of_glibc);
    CHECK(exported_since(of_glibc, pep::Libc::glibc));
    CHECK_FALSE(exported_since(of_glibc, pep::Libc::musl));
  }
  CHECK(is_exported_by_zlib("deflate"));
  CHECK_FALSE(is_exported_by_zlib("malloc"));
  CHECK_FALSE(exported_since("nowhere", pep::Libc::glibc));
  CHECK_FALSE(exported_since("", pep::Libc::glibc));
}

TEST_CASE("on glibc a library has no symbol that nothing provides") {
  CHECK(verdict(importing(kGlibc, {"nowhere"})) == "error nowhere");
  CHECK(verdict(importing(kGlibc, {"malloc", "pow", "dlopen", "deflate", "PyList_New"})).empty());
  CHECK(verdict(importing(kGlibc, {"strlcpy"})) == "error strlcpy (glibc 2.38)");
  CHECK(verdict(importing("manylinux_2_38_x86_64", {"strlcpy"})).empty());
  CHECK(verdict(importing(kGlibc, {"nowhere"}, As::library)) == "error nowhere");
}

TEST_CASE("versioned and weak symbols are not judged on glibc") {
  WheelFacts facts = importing(kGlibc, {});
  facts.libraries[0].elf.undefined = {
      {"nowhere", "GLIBC_2.99", binary::Binding::global, binary::SymbolKind::function, "libc.so.6"},
      {"elsewhere", "", binary::Binding::weak}};
  CHECK(verdict(facts).empty());
}

TEST_CASE("the wheel and what it needs provide symbols") {
  WheelFacts facts = importing(kGlibc, {"helper"}, As::module, {"libhelper.so"});
  facts.libraries.push_back(library("demo/libhelper.so", {"libc.so.6"}));
  CHECK(verdict(facts) == "error helper");
  facts.libraries[1].elf.defined = {{"helper"}};
  CHECK(verdict(facts).empty());
  // Nobody knows what these export.
  CHECK(verdict(importing(kGlibc, {"glClear"}, As::module, {"libGL.so.1"})).empty());
  CHECK(verdict(importing(kGlibc, {"helper"}, As::module, {"libtorch_cpu.so"})).empty());
  CHECK(verdict(importing(kGlibc, {"_ZN2at5emptyE", "cudaMalloc", "GOMP_parallel"})).empty());
}

TEST_CASE("the C++ runtime provides its own names") {
  CHECK(verdict(importing(kGlibc, {"_Znwm"})) == "error _Znwm");
  CHECK(verdict(importing(kGlibc, {"_Znwm", "__udivti3"}, As::module, {"libstdc++.so.6"})).empty());
  CHECK(verdict(importing(kGlibc, {"_ZN4demo3runEv"}, As::module, {"libstdc++.so.6"})) ==
        "error _ZN4demo3runEv");
}

TEST_CASE("a library that a module loads needs its symbols as the module does") {
  WheelFacts facts = importing(kGlibc, {}, As::module, {"libhelper.so"});
  facts.libraries.push_back(library("demo/libhelper.so", {"libc.so.6"}));
  facts.libraries[1].elf.undefined = {{"nowhere"}};
  CHECK(verdict(facts) == "error nowhere");
}

TEST_CASE("on musl, functions that only glibc has are errors of any library") {
  CHECK(verdict(importing(kMusl, {"malloc", "open64"}, As::library, kNeedsMusl)).empty());
  CHECK(verdict(importing(kMusl, {"__fprintf_chk", "backtrace"}, As::library, kNeedsMusl)) ==
        "error __fprintf_chk, backtrace");
  CHECK(verdict(importing(kMusl, {"nowhere"}, As::library, kNeedsMusl)) == "error nowhere");
  WheelFacts weak = importing(kMusl, {"__cxa_thread_atexit_impl"}, As::module, kNeedsMusl);
  CHECK(verdict(weak) == "error __cxa_thread_atexit_impl");
  weak.libraries[0].elf.undefined[0].binding = binary::Binding::weak;
  CHECK(verdict(weak).empty());
}

TEST_CASE("a function of a later musl 1.2 is a warning, because the policy is for all of them") {
  const WheelFacts facts = importing(kMusl, {"statx"}, As::module, kNeedsMusl);
  const std::vector<Finding> found = findings_of(facts, {}, {"undefined-symbols"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].message == "needs `statx`, which is new in musl 1.2.5");
  CHECK(findings_of(importing("musllinux_1_1_x86_64", {"statx"}, As::module, kNeedsMusl)).size() ==
        1);
}

}  // namespace
}  // namespace pinwheel::inspect
