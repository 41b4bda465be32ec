#pragma once
#include <string_view>

namespace pinwheel::inspect {

/// The owner of a symbol, derived from its name.
enum class SymbolOwner {
  torch,        ///< in a torch namespace, or a C shim of its Stable ABI
  interpreter,  ///< CPython's C API, provided by the running program
  gpu,          ///< the CUDA or ROCm libraries
  openmp,       ///< the OpenMP runtime
  cxx_runtime,  ///< libstdc++ and libgcc_s
  c_library,  ///< functions of libpthread, librt, libdl and libutil that moved into the C library,
              ///< and libm
  anybody,    ///< unknown from the name
};

/// Uses the mangled name only. For symbols without a version: a version already identifies the
/// library.
SymbolOwner symbol_owner(std::string_view mangled);

/// Whether it is a C function of torch's Stable ABI: "aoti_torch_new", "torch_call_dispatcher".
bool is_stable_shim(std::string_view mangled);

}  // namespace pinwheel::inspect
