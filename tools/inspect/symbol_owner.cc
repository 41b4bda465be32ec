#include "inspect/symbol_owner.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "inspect/python_abi.h"

namespace pinwheel::inspect {
namespace {

using Prefixes = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kTorchNamespaces = {"2at", "3c10", "5torch", "6caffe2"};
// `St`, `Sa`, `Ss` and the like abbreviate std and its templates (Itanium C++ ABI, 5.1.5).
constexpr std::array<std::string_view, 9> kCxxNamespaces = {
    "St", "Sa", "Ss", "Sb", "Si", "So", "Sd", "9__gnu_cxx", "10__cxxabiv1"};
// operator new, new[], delete, delete[]; the personality routine; exceptions; the unwinder.
constexpr std::array<std::string_view, 8> kCxxPrefixes = {
    "_Znw", "_Zna", "_Zdl", "_Zda", "__gxx_personality", "__cxa_", "_Unwind_", "__gcc_personality"};
constexpr std::array<std::string_view, 34> kGpuPrefixes = {
    "__cuda",      "cuda",    "cublas",    "cudnn",     "cudss",     "cufft",   "cuFile",
    "cupti",       "curand",  "cusolver",  "cusparse",  "cutensor",  "nccl",    "nvJitLink",
    "nvrtc",       "nvtx",    "nvshmem",   "nvjpeg",    "nvml",      "npp",     "__hip",
    "hip",         "rocblas", "rocsolver", "rocsparse", "rocfft",    "rocrand", "roctx",
    "rocprofiler", "rccl",    "miopen",    "hsa_",      "amd_comgr", "rsmi_"};
constexpr std::array<std::string_view, 5> kOpenMpPrefixes = {"omp_", "GOMP_", "GOACC_", "__kmpc_",
                                                             "kmp_"};
// A library linked without -lpthread, -lrt, -ldl or -lm on an old system imports these without a
// version, and finds them in libc.so.6 of glibc 2.34 or later, or through another library.
constexpr std::array<std::string_view, 8> kCPrefixes = {
    "pthread_", "__pthread_", "sem_", "shm_", "mq_", "aio_", "timer_", "clock_"};
constexpr std::array<std::string_view, 46> kCNames = {
    "dlopen", "dlsym",   "dlclose", "dlerror",   "dladdr", "dladdr1",   "dlinfo", "dlmopen",
    "dlvsym", "openpty", "forkpty", "login_tty", "acos",   "acosh",     "asin",   "asinh",
    "atan",   "atan2",   "atanh",   "cbrt",      "ceil",   "cos",       "cosh",   "erf",
    "erfc",   "exp",     "exp2",    "expm1",     "floor",  "fma",       "fmod",   "ldexp",
    "lgamma", "log",     "log10",   "log1p",     "log2",   "nearbyint", "pow",    "remainder",
    "rint",   "round",   "sin",     "sqrt",      "tan",    "tanh"};

bool begins_with_any(std::string_view text, Prefixes prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The rest of a mangled name, starting at its outermost name: "2at..." for `_ZNK2at6Tensor3dimEv`
/// and `_ZTVN2at10TensorBaseE`. Empty for a C name.
std::string_view outermost(std::string_view mangled) {
  if (!skip(mangled, "_Z")) return {};
  for (const std::string_view special : {"TV", "TT", "TI", "TS", "GV", "GR"}) {
    if (skip(mangled, special)) break;
  }
  if (mangled.starts_with("Th") || mangled.starts_with("Tv")) {  // a thunk: its offsets end in `_`
    const size_t end = mangled.find('_');
    mangled.remove_prefix(end == std::string_view::npos ? mangled.size() : end + 1);
  }
  if (!skip(mangled, "N")) return mangled;
  while (!mangled.empty() &&
         std::string_view("rVKRO").find(mangled.front()) != std::string_view::npos) {
    mangled.remove_prefix(1);
  }
  return mangled;
}

/// A function of libcuda: "cuMemAlloc_v2".
bool is_driver_function(std::string_view name) {
  return name.size() > 2 && name.starts_with("cu") &&
         std::isupper(static_cast<unsigned char>(name[2])) != 0;
}

/// Whether it is an instantiation for a torch type, which no standard library contains.
bool is_for_torch_types(std::string_view mangled) {
  return std::any_of(kTorchNamespaces.begin(), kTorchNamespaces.end(), [mangled](auto space) {
    const size_t at = mangled.find(space);
    return at != std::string_view::npos && at > 0 && mangled[at - 1] == 'N';
  });
}

bool is_c_library_name(std::string_view name) {
  if (begins_with_any(name, kCPrefixes)) return true;
  const auto known = [](std::string_view word) {
    return std::find(kCNames.begin(), kCNames.end(), word) != kCNames.end();
  };
  if (known(name)) return true;
  // The float and long double forms of libm's functions.
  return (name.ends_with('f') || name.ends_with('l')) && known(name.substr(0, name.size() - 1));
}

}  // namespace

bool is_stable_shim(std::string_view mangled) {
  return mangled.starts_with("aoti_torch_") || mangled.starts_with("torch_");
}

SymbolOwner symbol_owner(std::string_view mangled) {
  const std::string_view name = outermost(mangled);
  if (!name.empty()) {
    if (begins_with_any(name, kTorchNamespaces)) return SymbolOwner::torch;
    const bool runtime =
        begins_with_any(name, kCxxNamespaces) || begins_with_any(mangled, kCxxPrefixes);
    if (!runtime) return SymbolOwner::anybody;
    return is_for_torch_types(mangled) ? SymbolOwner::torch : SymbolOwner::cxx_runtime;
  }
  if (is_stable_shim(mangled)) return SymbolOwner::torch;
  if (is_python_symbol(mangled)) return SymbolOwner::interpreter;
  if (begins_with_any(mangled, kGpuPrefixes) || is_driver_function(mangled))
    return SymbolOwner::gpu;
  if (begins_with_any(mangled, kOpenMpPrefixes)) return SymbolOwner::openmp;
  if (begins_with_any(mangled, kCxxPrefixes)) return SymbolOwner::cxx_runtime;
  return is_c_library_name(mangled) ? SymbolOwner::c_library : SymbolOwner::anybody;
}

}  // namespace pinwheel::inspect
