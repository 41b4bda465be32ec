#pragma once

// How a file of ops/ makes its operators known to torch. Each file registers what it holds and
// nothing lists them all, so a flavour of the library is the files it is built from.

#include <torch/csrc/stable/library.h>

/// Once in a file, outside of namespaces: `schemas(m)` defines operators of the namespace
/// `pinwheel`, `kernels(m)` gives their kernels for each kind of device that this build is for.
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
