#pragma once

// The sources in simd/ are compiled once for each instruction set, each time inside a namespace of
// its name (PINWHEEL_ISA), and the CPU decides at run time which of the copies is called. Such a
// source keeps to vector.h, the index functions and plain loops: an inline function of the standard
// library that two copies share would be merged by the linker, perhaps into one that this CPU
// cannot run.

#include "base/isa.h"

#if defined(__x86_64__)

/// Declares a function once for each instruction set: DECLARE_FOR_EACH_ISA(void f(int x);)
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

/// Calls the copy of a function of `space` that suits this CPU: CALL_FOR_ISA(simd, f, 3).
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
