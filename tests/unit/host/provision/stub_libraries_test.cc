#include "host/provision/stub_libraries.h"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "binary/elf.h"
#include "host/system/file_source.h"
#include "unit/catch.h"
#include "unit/host/wheel_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

/// Compiles a shared library of C; `arguments` are for the linker.
void compile(Machine& m, const fs::path& at, const std::string& source,
             const std::vector<std::string>& arguments) {
  fs::create_directories(at.parent_path());
  const fs::path text = m.place.path / (at.filename().string() + ".c");
  std::ofstream(text) << source;
  std::vector<std::string> argv = {
      "cc", "-w",        "-shared",     "-fPIC",
      "-o", at.string(), text.string(), "-Wl,-soname," + at.filename().string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  m.run(argv);
}

/// An environment with a torch of one library, which needs two missing NVIDIA libraries. No toolkit
/// has libraries with these numbers.
fs::path make_torch(Machine& m) {
  const fs::path real = m.place.path / "real";
  fs::create_directories(real);
  std::ofstream(real / "versions") << "libcudart.so.77 { global: cuda*; };\n"
                                      "newer { global: cudaLate; } libcudart.so.77;\n";
  compile(m, real / "libcudart.so.77",
          "int cudaGetDeviceCount(int* n) { *n = 8; return 0; }\n"
          "const char* cudaGetErrorString(int e) { return \"fine\"; }\n"
          "int cudaUnused(void) { return 0; }\n"
          "int cudaLate(void) { return 0; }\n"
          "int cudaTable[4] = {1, 2, 3, 4};\n",
          {"-Wl,--version-script=" + (real / "versions").string()});
  compile(m, real / "libcuda.so.77", "int cuInit(int f) { return 0; }\n", {});
  const fs::path packages = m.place.path / "site-packages";
  compile(m, packages / "torch" / "lib" / "libtorch_cuda.so",
          "int cudaGetDeviceCount(int*); int cuInit(int); const char* cudaGetErrorString(int);\n"
          "int cudaLate(void); extern int cudaTable[4];\n"
          "int count(void) { int n = 5; return cudaGetDeviceCount(&n) * 1000 + n; }\n"
          "int init(void) { return cuInit(0) + cudaLate(); }\n"
          "const char* words(void) { return cudaGetErrorString(100); }\n"
          "int sum(void) { return cudaTable[0] + cudaTable[1] + cudaTable[2] + cudaTable[3]; }\n",
          {(real / "libcudart.so.77").string(), (real / "libcuda.so.77").string(), "-Wl,-z,now"});
  std::ofstream(packages / "torch" / "lib" / "notes.txt") << "no library";
  return packages;
}

/// A loaded library, closed in the destructor.
using Loaded = std::unique_ptr<void, int (*)(void*)>;
Loaded load(const fs::path& path) {
  return {dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose};
}

template <class T>
T call(const Loaded& library, const char* name) {
  void* const found = dlsym(library.get(), name);
  REQUIRE(found != nullptr);
  return reinterpret_cast<T (*)()>(found)();
}

}  // namespace

TEST_CASE("a torch that needs NVIDIA libraries loads with stubs and has no device") {
  Machine m;
  const fs::path packages = make_torch(m);
  const fs::path library = packages / "torch" / "lib" / "libtorch_cuda.so";
  REQUIRE(load(library) == nullptr);

  const fs::path stubs = m.place.path / "stubs";
  const host::StubLibraries written =
      value_of(host::write_stub_libraries(m.machine, packages, stubs));
  CHECK(written.names == std::vector<std::string>{"libcuda.so.77", "libcudart.so.77"});
  CHECK(written.symbols == 5);
  CHECK(written.bytes ==
        fs::file_size(stubs / "libcuda.so.77") + fs::file_size(stubs / "libcudart.so.77"));

  // The loader uses a library already loaded under that name, as it would one from LD_LIBRARY_PATH.
  const Loaded cudart = load(stubs / "libcudart.so.77");
  REQUIRE(cudart != nullptr);
  const Loaded cuda = load(stubs / "libcuda.so.77");
  REQUIRE(cuda != nullptr);
  const Loaded torch = load(library);
  INFO((torch == nullptr ? dlerror() : ""));
  REQUIRE(torch != nullptr);
  CHECK(call<int>(torch, "count") == 100005);
  CHECK(call<int>(torch, "init") == 200);
  CHECK(call<int>(torch, "sum") == 0);
  CHECK(std::string(call<const char*>(torch, "words")) ==
        "no CUDA-capable device is detected (stub library)");
  // There are no stubs for symbols that torch does not need.
  CHECK(dlsym(cudart.get(), "cudaUnused") == nullptr);

  const std::string symbols = m.run({"nm", "-D", (stubs / "libcudart.so.77").string()});
  CHECK(symbols.find("T cudaGetDeviceCount@@libcudart.so.77\n") != std::string::npos);
  CHECK(symbols.find("T cudaLate@@newer\n") != std::string::npos);
  CHECK(symbols.find("B cudaTable@@libcudart.so.77\n") != std::string::npos);
  CHECK(m.run({"readelf", "-dW", (stubs / "libcudart.so.77").string()})
            .find("Library soname: [libcudart.so.77]") != std::string::npos);
}

TEST_CASE("a library provided by a package of the environment needs no stub") {
  Machine m;
  const fs::path packages = make_torch(m);
  const fs::path bundled = packages / "nvidia" / "cu77" / "lib" / "libcudart.so.77";
  fs::create_directories(bundled.parent_path());
  fs::copy(m.place.path / "real" / "libcudart.so.77", bundled);
  const host::StubLibraries written =
      value_of(host::write_stub_libraries(m.machine, packages, m.place.path / "stubs"));
  CHECK(written.names == std::vector<std::string>{"libcuda.so.77"});
}

TEST_CASE(
    "an environment without torch needs no stubs, and the error for a corrupt library names it") {
  Machine m;
  const fs::path packages = m.place.path / "site-packages";
  const fs::path stubs = m.place.path / "stubs";
  CHECK(value_of(host::write_stub_libraries(m.machine, packages, stubs)).names.empty());
  fs::create_directories(packages / "torch" / "lib");
  std::ofstream(packages / "torch" / "lib" / "libc10.so") << "not a library";
  const auto damaged = host::write_stub_libraries(m.machine, packages, stubs);
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().kind == ErrorKind::check);
  CHECK(damaged.error().message.starts_with("`libc10.so` of torch: "));
}
