#include "env/stubs.h"

#include <algorithm>

#include "unit/catch.h"

namespace pinwheel::env {
namespace {

using binary::Export;
using binary::ReturnsNumber;
using binary::ReturnsText;
using binary::SharedObject;
using binary::Symbol;
using binary::SymbolKind;
using binary::ZeroedData;

Symbol unversioned(const std::string& name) {
  return {.name = name, .kind = SymbolKind::unknown};
}

Symbol versioned(const std::string& name, const std::string& library,
                 SymbolKind kind = SymbolKind::function) {
  return {.name = name, .version = library, .kind = kind, .library = library};
}

/// A torch of two libraries that need each other, NVIDIA's libraries and the system's.
std::vector<TorchLibrary> torch() {
  TorchLibrary c10{.file = "libc10_cuda.so", .elf = {.machine = 183}};
  c10.elf.soname = "libc10_cuda.so";
  c10.elf.needed = {"libcudart.so.13", "libc10.so", "libc.so.6"};
  c10.elf.version_needs = {{"libcudart.so.13", {"libcudart.so.13"}},
                           {"libc.so.6", {"GLIBC_2.2.5"}}};
  c10.elf.undefined = {versioned("cudaGetDeviceCount", "libcudart.so.13"),
                       versioned("cudaGetErrorString", "libcudart.so.13"),
                       versioned("memcpy", "libc.so.6"), unversioned("_ZN3c105ErrorC1Ev")};
  c10.elf.defined = {unversioned("cu_of_torch_itself")};
  TorchLibrary cuda{.file = "libtorch_cuda.so", .elf = {.machine = 183}};
  cuda.elf.needed = {"libc10_cuda.so", "libcudart.so.13",    "libcuda.so.1",     "libnccl.so.2",
                     "libcurl.so.4",   "libcusparseLt.so.0", "libcusparse.so.12"};
  cuda.elf.version_needs = {{"libcudart.so.13", {"EXTRA", "libcudart.so.13"}},
                            {"libcusparse.so.12", {"libcusparse.so.12"}}};
  cuda.elf.undefined = {versioned("cudaGetDeviceCount", "libcudart.so.13"),
                        versioned("cudaTable", "libcudart.so.13", SymbolKind::data),
                        unversioned("cuGetErrorString"),
                        unversioned("cu_of_torch_itself"),
                        unversioned("ncclGetErrorString"),
                        unversioned("cusparseLtInit"),
                        unversioned("curl_easy_init"),
                        unversioned("_Py_Dealloc")};
  return {c10, cuda};
}

const SharedObject& find(const std::vector<SharedObject>& stubs, const std::string& soname) {
  const auto found = std::find_if(stubs.begin(), stubs.end(),
                                  [&](const SharedObject& one) { return one.soname == soname; });
  REQUIRE(found != stubs.end());
  return *found;
}

TEST_CASE("each NVIDIA library that torch needs gets the symbols that torch uses") {
  const std::vector<SharedObject> stubs = stub_libraries(torch(), {});
  std::vector<std::string> names;
  for (const SharedObject& stub : stubs) {
    names.push_back(stub.soname);
    CHECK(stub.machine == 183);
  }
  CHECK(names == std::vector<std::string>{"libcuda.so.1", "libcudart.so.13", "libcusparse.so.12",
                                          "libcusparseLt.so.0", "libnccl.so.2"});
  const SharedObject& cudart = find(stubs, "libcudart.so.13");
  CHECK(cudart.versions == std::vector<std::string>{"EXTRA", "libcudart.so.13"});
  CHECK(cudart.exports ==
        std::vector<Export>{{"cudaGetDeviceCount", "libcudart.so.13", ReturnsNumber{100}},
                            {"cudaGetErrorString", "libcudart.so.13",
                             ReturnsText{"no CUDA-capable device is detected (stub library)"}},
                            {"cudaTable", "libcudart.so.13", ZeroedData{4096}}});
  // The driver's function returns a status; its text would go through a pointer.
  CHECK(find(stubs, "libcuda.so.1").exports[0] ==
        Export{"cuGetErrorString", "", ReturnsNumber{100}});
  CHECK(find(stubs, "libcusparseLt.so.0").exports ==
        std::vector<Export>{{"cusparseLtInit", "", ReturnsNumber{100}}});
  CHECK(find(stubs, "libcusparse.so.12").versions == std::vector<std::string>{"libcusparse.so.12"});
  CHECK(find(stubs, "libcusparse.so.12").exports.empty());
  CHECK(std::holds_alternative<ReturnsText>(find(stubs, "libnccl.so.2").exports[0].body));
}

TEST_CASE("symbols that torch defines and libraries that are present get no stubs") {
  const std::vector<SharedObject> stubs =
      stub_libraries(torch(), {"libcudart.so.13", "libnccl.so.2"});
  for (const SharedObject& stub : stubs) {
    CHECK(stub.soname != "libcudart.so.13");
    CHECK(stub.soname != "libnccl.so.2");
    for (const Export& symbol : stub.exports) CHECK(symbol.name != "cu_of_torch_itself");
  }
  TorchLibrary bundled{.file = "libcuda.so.1", .elf = {}};
  std::vector<TorchLibrary> more = torch();
  more.push_back(bundled);
  CHECK(stub_libraries(more, {}).size() == 4);
  CHECK(stub_libraries({}, {}).empty());
}

TEST_CASE("only NVIDIA libraries, recognized by name, get stubs") {
  const auto has_stub = [](const std::string& needed) {
    TorchLibrary library{.file = "libtorch_cuda.so", .elf = {}};
    library.elf.needed = {needed};
    return stub_libraries({library}, {}).size() == 1;
  };
  for (const char* const name : {"libcuda.so.1", "libcublasLt.so.13", "libnvToolsExt.so.1"}) {
    CHECK(has_stub(name));
  }
  for (const char* const name : {"libcurl.so.4", "libcudart_static.a", "libcudartx.so", "libc.so.6",
                                 "libcuda.something", "libtorch_cuda.so"}) {
    CHECK_FALSE(has_stub(name));
  }
}

}  // namespace
}  // namespace pinwheel::env
