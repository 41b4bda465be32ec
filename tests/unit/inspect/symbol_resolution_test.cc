#include "inspect/symbol_resolution.h"

#include <algorithm>

#include "unit/catch.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::inspect {
namespace {

binary::Symbol plain(const std::string& name) {
  return {.name = name};
}

ElfMember wanting(const std::string& name, std::vector<std::string> needed,
                  const std::vector<std::string>& undefined) {
  ElfMember out = library(name, std::move(needed));
  for (const std::string& symbol : undefined) out.elf.undefined.push_back(plain(symbol));
  return out;
}

WheelFacts wheel_of(std::vector<ElfMember> libraries) {
  WheelFacts facts = native_facts();
  facts.libraries = std::move(libraries);
  return facts;
}

/// A torch with libtorch.so -> libtorch_cpu.so -> libc10.so, and libtorch_python.so beside.
LoadedLibraries torch_with(const std::map<std::string, std::vector<size_t>>& exports = {}) {
  LoadedLibraries out;
  out.libraries = {{"libtorch.so", {"libtorch_cpu.so", "libc.so.6"}},
                   {"libtorch_cpu.so", {"libc10.so", "libgomp.so.1", "libz.so.1"}},
                   {"libc10.so", {"libstdc++.so.6"}},
                   {"libtorch_python.so", {"libtorch.so"}}};
  out.exporters = [exports](const std::string& symbol) {
    const auto found = exports.find(symbol);
    return found == exports.end() ? std::vector<size_t>{} : found->second;
  };
  return out;
}

LoadedLibraries cuda_torch() {
  LoadedLibraries out = torch_with();
  out.libraries.push_back({"libtorch_cuda.so", {"libcudart.so.13"}});
  return out;
}

Texts names(const std::vector<WantedSymbol>& symbols) {
  Texts out;
  for (const WantedSymbol& symbol : symbols) out.push_back(symbol.name);
  return out;
}

Loading load(const WheelFacts& facts, const LoadedLibraries& loaded_libraries = torch_with()) {
  return LinkView(facts).load_with(loaded_libraries);
}

constexpr const char* kDim = "_ZNK2at10TensorBase3dimEv";

TEST_CASE("a symbol is found in the closure of the needed libraries and not beyond") {
  const WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libtorch.so"}, {kDim})});
  CHECK(load(facts, torch_with({{kDim, {1}}})).loads());
  CHECK(load(facts, torch_with({{kDim, {2}}})).loads());
  const Loading beyond = load(facts, torch_with({{kDim, {3}}}));
  CHECK_FALSE(beyond.loads());
  CHECK(beyond.missing == std::vector<WantedSymbol>{{kDim, {"demo/_C.so"}}});
  CHECK(beyond.failing == Texts{"demo/_C.so"});
  CHECK_FALSE(load(facts).loads());
}

TEST_CASE("weak symbols may stay undefined") {
  WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libtorch.so"}, {kDim, "__gmon_start__"})});
  for (binary::Symbol& symbol : facts.libraries[0].elf.undefined) {
    symbol.binding = binary::Binding::weak;
  }
  CHECK(load(facts).loads());
  CHECK(LinkView(facts).symbols().empty());
}

TEST_CASE("the wheel's libraries find each other by soname and by file name") {
  ElfMember helper = library("demo.libs/libhelp-12ab.so.1", {"libc.so.6"});
  helper.elf.soname = "libhelp.so.1";
  helper.elf.defined = {plain("_Z4helpv")};
  for (const std::string name : {"libhelp.so.1", "libhelp-12ab.so.1"}) {
    const WheelFacts facts = wheel_of({wanting("demo/_C.so", {name}, {"_Z4helpv"}), helper});
    CHECK(load(facts).loads());
    CHECK(LinkView(facts).entries() == Texts{"demo/_C.so"});
    CHECK(LinkView(facts).symbols().empty());
  }
  const WheelFacts unneeded =
      wheel_of({wanting("demo/_C.so", {"libc.so.6"}, {"_Z4helpv"}), helper});
  CHECK(names(load(unneeded).missing) == Texts{"_Z4helpv"});
}

TEST_CASE("a helper may rely on the library that loads it, and still fails on its own") {
  ElfMember main = wanting("demo/_C.so", {"libhelp.so"}, {});
  main.elf.defined = {plain("_Z8callbackv"), plain("PyInit__C")};
  const WheelFacts facts = wheel_of({main, wanting("demo/libhelp.so", {}, {"_Z8callbackv"})});
  const Loading loading = load(facts);
  CHECK(loading.loads());
  CHECK(loading.failing == Texts{"demo/libhelp.so"});
}

TEST_CASE("a helper's missing symbol keeps its users from loading") {
  const WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libhelp.so"}, {}),
                                     wanting("demo/libhelp.so", {"libtorch.so"}, {kDim})});
  const Loading loading = load(facts);
  CHECK(loading.missing == std::vector<WantedSymbol>{{kDim, {"demo/libhelp.so"}}});
  CHECK(loading.failing == Texts{"demo/_C.so", "demo/libhelp.so"});
}

TEST_CASE("a library of the wheel without the version does not define the symbol") {
  ElfMember helper = library("demo/libhelp.so.1", {});
  helper.elf.defined = {{.name = "help", .version = "HELP_1"}};
  ElfMember user = library("demo/_C.so", {"libhelp.so.1"});
  user.elf.undefined = {{.name = "help", .version = "HELP_1", .library = "libhelp.so.1"}};
  CHECK(load(wheel_of({user, helper})).loads());
  user.elf.undefined[0].version = "HELP_2";
  CHECK(names(load(wheel_of({user, helper})).missing) == Texts{"help"});
}

TEST_CASE("versions of system libraries and of unknown ones are not checked here") {
  ElfMember user = library("demo/_C.so", {"libc.so.6", "libcudart.so.12"});
  user.elf.undefined = {
      {.name = "memcpy", .version = "GLIBC_2.99", .library = "libc.so.6"},
      {.name = "cudaMalloc", .version = "libcudart.so.12", .library = "libcudart.so.12"}};
  const Loading loading = load(wheel_of({user}));
  CHECK(loading.loads());
  CHECK(loading.absent == std::vector<AbsentLibrary>{{"libcudart.so.12", {"demo/_C.so"}}});
}

TEST_CASE("CUDA's symbols are CUDA's when its libraries are present") {
  const WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libtorch.so"}, {"cudaMalloc"})});
  CHECK(load(facts, cuda_torch()).loads());
  CHECK(names(load(facts).missing) == Texts{"cudaMalloc"});
}

TEST_CASE("a library that torch provides is present, one of another number is absent") {
  const WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libcudart.so.13"}, {"cudaMalloc"})});
  CHECK(load(facts, cuda_torch()).absent.empty());
  const WheelFacts older =
      wheel_of({wanting("demo/_C.so", {"libcudart.so.12", "libcuda.so.1"}, {})});
  CHECK(load(older, cuda_torch()).absent.size() == 1);
  CHECK(load(older, cuda_torch()).loads());
}

TEST_CASE("an absent library of torch's keeps the wheel from loading") {
  const WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libtorch_cuda.so"}, {})});
  CHECK_FALSE(load(facts).loads());
  CHECK(load(facts, cuda_torch()).loads());
}

TEST_CASE("required and declared libraries are present") {
  WheelFacts facts = wheel_of({wanting("demo/_C.so", {"libcudart.so.12", "libodd.so.3"}, {})});
  CHECK(load(facts).absent.size() == 2);
  CHECK(LinkView(facts, {"libodd.so.*"}).load_with(torch_with()).absent.size() == 1);
  facts.metadata = *wheel::parse_metadata(
      "Metadata-Version: 2.4\nName: demo-kit\nVersion: 1.0\n"
      "Requires-Dist: nvidia-cuda-runtime-cu12==12.8.*\n");
  CHECK(load(facts).absent == std::vector<AbsentLibrary>{{"libodd.so.3", {"demo/_C.so"}}});
}

TEST_CASE(
    "a symbol that a library with unknown exports may have is undecided, a torch symbol never") {
  const WheelFacts facts = wheel_of(
      {wanting("demo/_C.so", {"libtorch.so", "libz.so.1"}, {"inflate", kDim, "_ZN4demo1fEv"})});
  const Loading loading = load(facts);
  CHECK(names(loading.missing) == Texts{kDim});
  CHECK(names(loading.undecided) == Texts{"_ZN4demo1fEv", "inflate"});
  const WheelFacts known =
      wheel_of({wanting("demo/_C.so", {"libtorch.so", "libc.so.6"}, {"inflate", "_ZN4demo1fEv"})});
  CHECK(names(load(known).missing) == Texts{"_ZN4demo1fEv", "inflate"});
}

TEST_CASE("unversioned symbols of the C++ runtime and the C library are undecided") {
  const WheelFacts facts =
      wheel_of({wanting("demo/_C.so", {"libtorch.so"},
                        {"_ZSt21ios_base_library_initv", "shm_open", "Py_Initialize"})});
  const Loading loading = load(facts);
  CHECK(loading.loads());
  CHECK(names(loading.undecided) == Texts{"_ZSt21ios_base_library_initv", "shm_open"});
  CHECK(load(facts, torch_with({{"_ZSt21ios_base_library_initv", {1}}, {"shm_open", {1}}}))
            .undecided.empty());
}

TEST_CASE("libraries with cyclic dependencies are read once") {
  WheelFacts facts = wheel_of(
      {wanting("demo/a.so", {"b.so"}, {"_Z1bv"}), wanting("demo/b.so", {"a.so"}, {"_Z1av"})});
  facts.libraries[0].elf.defined = {plain("_Z1av"), plain("PyInit_a")};
  facts.libraries[1].elf.defined = {plain("_Z1bv")};
  CHECK(load(facts).loads());
  CHECK(load(facts).failing.empty());
}

}  // namespace
}  // namespace pinwheel::inspect
