#pragma once

// The sources in simd/ are compiled once per instruction set, each time inside a namespace named
// after it (PINWHEEL_ISA), and dispatched at run time by the CPU's features. They may use only
// vector.h, the index functions and plain loops: the linker would merge an inline function of the
// standard library that two copies share, perhaps into one that this CPU cannot run.

#include "base/isa.h"

#if defined(__x86_64__)

/// Declares a function once per instruction set: DECLARE_FOR_EACH_ISA(void f(int x);)
#define DECLARE_FOR_EACH_ISA(...) \
  namespace base {                \
  __VA_ARGS__                     \
  }                               \
  namespace avx2 {                \
  __VA_ARGS__                     \
  }                               \
  namespace avx512 {              \
  __VA_ARGS__                     \
  }

/// Calls this CPU's copy of a function of `space`: CALL_FOR_ISA(simd, f, 3).
#define CALL_FOR_ISA(space, function, ...)                                              \
  (::pinwheel::isa() == ::pinwheel::Isa::kAvx512 ? space::avx512::function(__VA_ARGS__) \
   : ::pinwheel::isa() == ::pinwheel::Isa::kAvx2 ? space::avx2::function(__VA_ARGS__)   \
                                                 : space::base::function(__VA_ARGS__))

#else

#define DECLARE_FOR_EACH_ISA(...) \
  namespace base {                \
  __VA_ARGS__                     \
  }
#define CALL_FOR_ISA(space, function, ...) space::base::function(__VA_ARGS__)

#endif
