#include "env/stubs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace pinwheel::env {
namespace {

/// NVIDIA's libraries and the prefixes of their function names.
struct Vendor {
  std::string_view library;
  std::string_view prefix;
};
constexpr std::array<Vendor, 18> kLibraries = {{{"libcuda.so", "cu"},
                                                {"libcudart.so", "cuda"},
                                                {"libcublas.so", "cublas"},
                                                {"libcublasLt.so", "cublasLt"},
                                                {"libcudnn.so", "cudnn"},
                                                {"libcudss.so", "cudss"},
                                                {"libcufft.so", "cufft"},
                                                {"libcufile.so", "cuFile"},
                                                {"libcupti.so", "cupti"},
                                                {"libcurand.so", "curand"},
                                                {"libcusolver.so", "cusolver"},
                                                {"libcusparse.so", "cusparse"},
                                                {"libcusparseLt.so", "cusparseLt"},
                                                {"libnccl.so", "nccl"},
                                                {"libnvJitLink.so", "nvJitLink"},
                                                {"libnvToolsExt.so", "nvtx"},
                                                {"libnvrtc.so", "nvrtc"},
                                                {"libnvshmem_host.so", "nvshmem"}}};

constexpr const char* kWords = "no CUDA-capable device is detected (stub library)";

// The library that defines a variable, and with it the variable's size, is missing; this is larger
// than any in CUDA.
constexpr uint64_t kDataSize = 4096;

const Vendor* vendor_of(std::string_view soname) {
  const auto found =
      std::find_if(kLibraries.begin(), kLibraries.end(), [soname](const Vendor& vendor) {
        if (!soname.starts_with(vendor.library)) return false;
        return soname.size() == vendor.library.size() || soname[vendor.library.size()] == '.';
      });
  return found == kLibraries.end() ? nullptr : &*found;
}

/// Functions that return text instead of a status: a number would be read as an address. The two of
/// the driver return a status, and the text through a pointer.
bool gives_text(std::string_view name) {
  if (name == "cuGetErrorString" || name == "cuGetErrorName") return false;
  if (name.find("Get") == std::string_view::npos) return false;
  return name.ends_with("String") || name.ends_with("ErrorName") || name.ends_with("StatusName") ||
         name == "ncclGetLastError";
}

binary::Export answer(const binary::Symbol& wanted) {
  binary::Export symbol{wanted.name, wanted.version};
  if (wanted.kind == binary::SymbolKind::data) {
    symbol.body = binary::ZeroedData{kDataSize};
  } else if (gives_text(wanted.name)) {
    symbol.body = binary::ReturnsText{kWords};
  } else {
    symbol.body = binary::ReturnsNumber{kNoDevice};
  }
  return symbol;
}

/// The libraries under construction, by name.
class Stubs {
 public:
  Stubs(const std::vector<TorchLibrary>& torch, const std::set<std::string>& present) {
    std::set<std::string> here = present;
    for (const TorchLibrary& library : torch) {
      here.insert(library.file);
      if (!library.elf.soname.empty()) here.insert(library.elf.soname);
    }
    for (const TorchLibrary& library : torch) {
      for (const std::string& needed : library.elf.needed) {
        if (here.contains(needed) || vendor_of(needed) == nullptr) continue;
        stubs_.try_emplace(needed, binary::SharedObject{library.elf.machine, needed});
      }
    }
  }

  void add_versions(const binary::VersionNeed& need) {
    const auto stub = stubs_.find(need.library);
    if (stub == stubs_.end()) return;
    std::vector<std::string>& versions = stub->second.versions;
    for (const std::string& version : need.versions) {
      if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
        versions.push_back(version);
      }
    }
  }

  void add(const binary::Symbol& wanted) {
    const std::string owner = wanted.version.empty() ? by_prefix(wanted.name) : wanted.library;
    const auto stub = stubs_.find(owner);
    if (stub == stubs_.end()) return;
    if (!seen_.insert({owner, wanted.name, wanted.version}).second) return;
    stub->second.exports.push_back(answer(wanted));
  }

  std::vector<binary::SharedObject> finish() && {
    std::vector<binary::SharedObject> libraries;
    for (auto& [name, library] : stubs_) {
      std::sort(library.versions.begin(), library.versions.end());
      std::sort(library.exports.begin(), library.exports.end(),
                [](const binary::Export& a, const binary::Export& b) {
                  return std::tie(a.name, a.version) < std::tie(b.name, b.version);
                });
      libraries.push_back(std::move(library));
    }
    return libraries;
  }

 private:
  /// The library with the longest matching prefix; empty if there is none.
  std::string by_prefix(std::string_view name) const {
    std::string found;
    size_t longest = 0;
    for (const auto& [soname, library] : stubs_) {
      const std::string_view prefix = vendor_of(soname)->prefix;
      if (prefix.size() <= longest || !name.starts_with(prefix)) continue;
      found = soname;
      longest = prefix.size();
    }
    return found;
  }

  std::map<std::string, binary::SharedObject> stubs_;
  std::set<std::array<std::string, 3>> seen_;
};

}  // namespace

std::vector<binary::SharedObject> stub_libraries(const std::vector<TorchLibrary>& torch,
                                                 const std::set<std::string>& present) {
  Stubs stubs(torch, present);
  std::set<std::string_view> defined;
  for (const TorchLibrary& library : torch) {
    for (const binary::Symbol& symbol : library.elf.defined) defined.insert(symbol.name);
  }
  for (const TorchLibrary& library : torch) {
    for (const binary::VersionNeed& need : library.elf.version_needs) stubs.add_versions(need);
    for (const binary::Symbol& symbol : library.elf.undefined) {
      if (symbol.version.empty() && defined.contains(symbol.name)) continue;
      stubs.add(symbol);
    }
  }
  return std::move(stubs).finish();
}

}  // namespace pinwheel::env
