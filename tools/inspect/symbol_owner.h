#pragma once
#include <string_view>

namespace pinwheel::inspect {

/// Who a symbol belongs to as far as its name tells.
enum class SymbolOwner {
  torch,        ///< in a namespace of torch's, or a C shim of its Stable ABI
  interpreter,  ///< CPython's C API, which the running program gives
  gpu,          ///< the CUDA or ROCm libraries
  openmp,       ///< the OpenMP runtime
  cxx_runtime,  ///< libstdc++ and libgcc_s
  c_library,  ///< what the C library took over from libpthread, librt, libdl and libutil, and libm
  anybody,    ///< the name tells nothing
};

/// By the mangled name alone. It is asked about symbols without a version: with one a symbol says
/// itself which library it is of.
SymbolOwner symbol_owner(std::string_view mangled);

/// Whether it is one of the C functions of which torch's Stable ABI consists: "aoti_torch_new",
/// "torch_call_dispatcher".
bool is_stable_shim(std::string_view mangled);

}  // namespace pinwheel::inspect
