#pragma once

/// `PW_HD` marks a function that the GPU kernels and the CPU tests compile from the same text.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define PW_HD __host__ __device__ inline
#else
#define PW_HD inline
#endif
