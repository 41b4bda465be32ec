#include "inspect/cxx_abi.h"

#include "unit/catch.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("mangled names identify their string type") {
  for (const std::string_view name :
       {"_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
        "_ZN5torch3jit4loadB5cxx11Ev"}) {
    INFO(name);
    CHECK(string_abi_of(name) == StringAbi::cxx11);
  }
  for (const std::string_view name :
       {"_ZN3c105ErrorC1ESs", "_ZNSs6appendEPKc", "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs",
        "_ZSt7getlineIcSt11char_traitsIcESaIcEERSiS4_Ss", "_Z1fILj90EEvSs", "_Z1fA4_SsT0_"}) {
    INFO(name);
    CHECK(string_abi_of(name) == StringAbi::old);
  }
  for (const std::string_view name :
       {"_ZN3Ssh1fEv", "_ZN2Ss1fEi", "PySs", "_ZN3c104impl8GPUTraceE", "_ZNSt6vectorIiSaIiEE", "_Z",
        "_Z99999999999999999999Ss", "_Z1fS_", "_ZNSo5flushEv", "_Z1fSb", "_ZS", "_ZL"}) {
    INFO(name);
    CHECK(string_abi_of(name) == StringAbi::none);
  }
}

TEST_CASE("several libraries have one result") {
  const auto of = [](std::vector<std::string> names) {
    std::vector<ElfMember> out;
    for (std::string& name : names) {
      ElfMember member{"x.so", {}};
      member.elf.undefined = {{std::move(name)}};
      out.push_back(std::move(member));
    }
    return string_abi(out);
  };
  CHECK(of({}) == StringAbi::none);
  CHECK(of({"malloc", "_ZNSs4_Rep"}) == StringAbi::old);
  CHECK(of({"_Z1fSs", "malloc", "_Z1fB5cxx11"}) == StringAbi::mixed);
  CHECK(of({"_Z1fB5cxx11", "malloc"}) == StringAbi::cxx11);
  ElfMember standard{"y.so", {}};
  standard.elf.undefined = {{"_ZNSs4_Rep20_S_empty_rep_storageE", "GLIBCXX_3.4",
                             binary::Binding::global, binary::SymbolKind::data, "libstdc++.so.6"}};
  CHECK(string_abi({standard}) == StringAbi::old);
  ElfMember other{"x.so", {}};
  other.elf.undefined = {{"_Z1fB5cxx11"}};
  CHECK(string_abi({standard, other}) == StringAbi::cxx11);
}

}  // namespace
}  // namespace pinwheel::inspect
