#pragma once

// How a file of ops/ registers its operators with torch. Each file registers its own and there is
// no central list, so a flavor of the library is just the set of files it is built from.

#include <torch/csrc/stable/library.h>

/// Use once per file, at global scope: `schemas(m)` defines operators in torch's namespace
/// `pinwheel`, `kernels(m)` registers their kernels for each dispatch key that this build supports.
#ifdef PINWHEEL_GPU
#define PINWHEEL_OPERATORS(schemas, kernels)     \
  STABLE_TORCH_LIBRARY_FRAGMENT(pinwheel, m) {   \
    schemas(m);                                  \
  }                                              \
  STABLE_TORCH_LIBRARY_IMPL(pinwheel, CPU, m) {  \
    kernels(m);                                  \
  }                                              \
  STABLE_TORCH_LIBRARY_IMPL(pinwheel, CUDA, m) { \
    kernels(m);                                  \
  }
#else
#define PINWHEEL_OPERATORS(schemas, kernels)    \
  STABLE_TORCH_LIBRARY_FRAGMENT(pinwheel, m) {  \
    schemas(m);                                 \
  }                                             \
  STABLE_TORCH_LIBRARY_IMPL(pinwheel, CPU, m) { \
    kernels(m);                                 \
  }
#endif

namespace pinwheel {

using Library = torch::stable::detail::StableLibrary;

}  // namespace pinwheel
