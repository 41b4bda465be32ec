#include "compat/distributions.h"

#include "unit/compat/demo_wheel.h"

namespace pinwheel::compat {
namespace {

Texts running(const std::vector<binary::VersionNeed>& needs) {
  inspect::WheelFacts facts = inspect::native_facts();
  facts.libraries = {inspect::library("demo/_C.so", {"libc.so.6"}, needs)};
  Texts out;
  for (const DistributionVerdict& verdict : judge_distributions(facts)) {
    if (verdict.runs) out.emplace_back(verdict.name);
  }
  return out;
}

TEST_CASE("a wheel runs where the C library is new enough") {
  CHECK(running({{"libc.so.6", {"GLIBC_2.17", "GLIBC_2.2.5"}}}).size() == 9);
  CHECK(running({{"libc.so.6", {"GLIBC_2.35"}}}) ==
        Texts{"Ubuntu 22.04", "Debian 12", "Ubuntu 24.04", "Debian 13", "Ubuntu 26.04"});
  CHECK(running({{"libc.so.6", {"GLIBC_ABI_DT_RELR"}}}).front() == "Debian 12");
  CHECK(running({{"libc.so.6", {"GLIBC_2.99"}}}).empty());
}

TEST_CASE("packed relocations that are not announced load with no glibc") {
  const auto running_packed = [](std::vector<binary::VersionNeed> needs) {
    inspect::WheelFacts facts = inspect::native_facts();
    facts.libraries = {inspect::library("demo/_C.so", {"libc.so.6"}, std::move(needs))};
    facts.libraries[0].elf.packed_relocations = true;
    Texts out;
    for (const DistributionVerdict& verdict : judge_distributions(facts)) {
      if (verdict.runs) out.emplace_back(verdict.name);
    }
    return out;
  };
  CHECK(running_packed({{"libc.so.6", {"GLIBC_2.2.5"}}}).empty());
  CHECK(running_packed({{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_ABI_DT_RELR"}}}).front() ==
        "Debian 12");
  CHECK(running_packed({}).front() == "Debian 12");
}

TEST_CASE("a module with a symbol that nothing provides runs on none of them") {
  const auto running_with = [](const std::string& symbol) {
    inspect::WheelFacts facts = inspect::native_facts();
    facts.libraries = {inspect::library("demo/_C.so")};
    facts.libraries[0].elf.defined = {{"PyInit__C"}};
    facts.libraries[0].elf.undefined = {{symbol}};
    Texts out;
    for (const DistributionVerdict& verdict : judge_distributions(facts)) {
      if (verdict.runs) out.emplace_back(verdict.name);
    }
    return out;
  };
  CHECK(running_with("nowhere").empty());
  CHECK(running_with("strlcpy").front() == "Ubuntu 24.04");
  CHECK(running_with("malloc").size() == 9);
}

TEST_CASE("libstdc++ counts on its own") {
  CHECK(running({{"libstdc++.so.6", {"GLIBCXX_3.4.32"}}}) ==
        Texts{"Ubuntu 24.04", "Debian 13", "Ubuntu 26.04"});
  CHECK(running({{"libstdc++.so.6", {"CXXABI_1.3.12", "CXXABI_FLOAT128"}}}).front() == "Debian 11");
  // The versions of GCC 16.
  CHECK(running({{"libstdc++.so.6", {"CXXABI_1.3.17", "GLIBCXX_3.4.35"}}}) ==
        Texts{"Ubuntu 26.04"});
  CHECK(running({{"libstdc++.so.6", {"GLIBCXX_3.4.36"}}}).empty());
  CHECK(running({{"libstdc++.so.6", {"CXXABI_1.3.18"}}}).empty());
  CHECK(running({{"libz.so.1", {"ZLIB_1.2.9"}}}).size() == 9);
}

TEST_CASE("a wheel for musl runs on none of them") {
  inspect::WheelFacts facts = inspect::native_facts();
  facts.libraries = {inspect::library("demo/a.so", {"libc.musl-x86_64.so.1"}),
                     inspect::library("demo/b.so", {"libc.musl-x86_64.so.1"})};
  for (const DistributionVerdict& verdict : judge_distributions(facts)) {
    CHECK_FALSE(verdict.runs);
    CHECK(verdict.reasons == Texts{"`demo/a.so` needs `libc.musl-x86_64.so.1` of musl"});
  }
}

TEST_CASE("a module that does not find the wheel's own library runs on none of them") {
  inspect::WheelFacts facts = inspect::native_facts();
  facts.libraries = {inspect::library("demo/_C.so", {"libown.so"}),
                     inspect::library("demo/lib/libown.so", {})};
  facts.libraries[0].elf.defined.push_back({.name = "PyInit__C"});
  for (const DistributionVerdict& verdict : judge_distributions(facts)) {
    CHECK_FALSE(verdict.runs);
    CHECK(verdict.reasons == Texts{"`demo/_C.so` needs `libown.so`, which is in the wheel as "
                                   "`demo/lib/libown.so`, but no search path leads there"});
  }
}

TEST_CASE("reasons name file and version, and bundled libraries are not a reason") {
  inspect::WheelFacts facts = inspect::native_facts();
  facts.libraries = {inspect::library("demo/_C.so", {"libstdc++-12ab.so.6"},
                                      {{"libstdc++-12ab.so.6", {"GLIBCXX_3.4.99"}},
                                       {"libc.so.6", {"GLIBC_2.28"}}}),
                     inspect::library("demo.libs/libstdc++-12ab.so.6", {})};
  const std::vector<DistributionVerdict> found = judge_distributions(facts);
  CHECK(found[0].name == "CentOS 7");
  CHECK(found[0].reasons == Texts{"`demo/_C.so` needs `GLIBC_2.28`"});
  CHECK(found[1].runs);
}

}  // namespace
}  // namespace pinwheel::compat
