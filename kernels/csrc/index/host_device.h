#pragma once

// Declares HIP's device memcpy; in CUDA it is built in.
#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

/// `PW_HD` marks a function that GPU kernels and CPU tests compile from the same source,
/// `PW_UNROLL` a loop over an array that must stay in a GPU's registers, `PW_ROLLED` a loop that
/// a GPU's compiler must not unroll, because that would take too many registers.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define PW_HD __host__ __device__ inline
#else
// Never out of line: simd/ compiles the same source for several instruction sets.
#define PW_HD inline __attribute__((always_inline))
#endif

// The host's compiler does not know the pragma.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define PW_UNROLL _Pragma("unroll")
#define PW_ROLLED _Pragma("unroll 1")
#else
#define PW_UNROLL
#define PW_ROLLED
#endif
