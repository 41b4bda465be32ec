#pragma once

// What the kernels need from a GPU, under one name for CUDA and HIP. Kernels work in groups of 32
// lanes and shuffle within a group only, which is correct for wave sizes of 32 and 64. The tests
// add a third "device": an emulator that runs the same kernels on the CPU.

#if defined(PINWHEEL_GPU_EMULATOR)
#include "gpu_emulator.h"
#elif defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "index/host_device.h"

namespace pinwheel::gpu {

constexpr int kLanes = 32;
constexpr int kThreads = 256;
constexpr int kGroups = kThreads / kLanes;

#if defined(PINWHEEL_GPU_EMULATOR)
using Stream = void*;
#elif defined(__HIP_PLATFORM_AMD__)
using Stream = hipStream_t;

template <class Number>
__device__ Number shuffle_up(Number number, int distance) {
  return __shfl_up(number, distance, kLanes);
}
template <class Number>
__device__ Number shuffle_xor(Number number, int mask) {
  return __shfl_xor(number, mask, kLanes);
}
/// The number of lane `source` of the group.
template <class Number>
__device__ Number shuffle(Number number, int source) {
  return __shfl(number, source, kLanes);
}

inline std::string launch_error() {
  const hipError_t error = hipGetLastError();
  return error == hipSuccess ? "" : hipGetErrorString(error);
}
#else
using Stream = cudaStream_t;

template <class Number>
__device__ Number shuffle_up(Number number, int distance) {
  return __shfl_up_sync(0xffffffffu, number, distance, kLanes);
}
template <class Number>
__device__ Number shuffle_xor(Number number, int mask) {
  return __shfl_xor_sync(0xffffffffu, number, mask, kLanes);
}
template <class Number>
__device__ Number shuffle(Number number, int source) {
  return __shfl_sync(0xffffffffu, number, source, kLanes);
}

inline std::string launch_error() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}
#endif

PW_HD int count_of_bits(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// The number of the highest bit that is set; at least one must be.
PW_HD int highest_bit(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(static_cast<int>(bits));
#else
  return 31 - __builtin_clz(bits);
#endif
}

/// The lanes of the group where `holds` is true, as bits. All 32 lanes must call it.
__device__ inline uint32_t lanes_where(bool holds) {
#if defined(PINWHEEL_GPU_EMULATOR)
  uint32_t lanes = holds ? 1u << threadIdx.x % kLanes : 0;
  for (int mask = 1; mask < kLanes; mask *= 2) lanes |= shuffle_xor(lanes, mask);
  return lanes;
#elif defined(__HIP_PLATFORM_AMD__)
  return static_cast<uint32_t>(__ballot(holds) >> (threadIdx.x % warpSize / kLanes * kLanes));
#else
  return __ballot_sync(0xffffffffu, holds);
#endif
}

/// The largest number of the group. All 32 lanes must call it.
__device__ inline int most_of_group(int number) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, number);
#else
  for (int mask = kLanes / 2; mask > 0; mask /= 2) {
    const int other = shuffle_xor(number, mask);
    number = other > number ? other : number;
  }
  return number;
#endif
}

/// Makes what the group's lanes wrote to shared memory visible to all of them. All 32 lanes must
/// call it.
__device__ inline void sync_group() {
#if defined(PINWHEEL_GPU_EMULATOR)
  shuffle_xor(0, 1);
#elif defined(__HIP_PLATFORM_AMD__)
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
#else
  __syncwarp();
#endif
}

/// A streaming store of 16 bytes that will not be read soon; bypasses the caches if the device can.
template <class Sixteen>
__device__ void store_streaming(Sixteen* at, const Sixteen& value) {
  static_assert(sizeof(Sixteen) == 16 && alignof(Sixteen) == 16);
#if defined(PINWHEEL_GPU_EMULATOR)
  *at = value;
#elif defined(__HIP_PLATFORM_AMD__)
  uint64_t words[2];
  memcpy(words, &value, sizeof(words));
  __builtin_nontemporal_store(words[0], reinterpret_cast<uint64_t*>(at));
  __builtin_nontemporal_store(words[1], reinterpret_cast<uint64_t*>(at) + 1);
#else
  uint4 words;
  memcpy(&words, &value, sizeof(words));
  __stcs(reinterpret_cast<uint4*>(at), words);
#endif
}

/// Atomically adds to an integer of 4 or 8 bytes in memory and returns the old value. Sums wrap
/// around.
template <class Integer>
__device__ Integer atomic_add(Integer* at, Integer number) {
  // The only types of these widths that atomicAdd supports everywhere.
  using Word = std::conditional_t<sizeof(Integer) == 4, unsigned int, unsigned long long>;
  return static_cast<Integer>(atomicAdd(reinterpret_cast<Word*>(at), static_cast<Word>(number)));
}

/// The lanes that have the same number, as bits, of this lane's `kWidth` adjacent lanes. All 32
/// lanes must call it.
template <int kWidth>
__device__ uint32_t lanes_with(int number) {
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  const uint32_t same = __match_any_sync(0xffffffffu, number);
  return same >> (static_cast<int>(threadIdx.x) % kLanes - lane) & (~0u >> (kLanes - kWidth));
#else
  uint32_t same = 1u << lane;
  for (int mask = 1; mask < kWidth; ++mask) {
    if (shuffle_xor(number, mask) == number) same |= 1u << (lane ^ mask);
  }
  return same;
#endif
}

/// Atomically sets bits of a word in shared memory.
__device__ inline void atomic_set_bits(uint32_t* at, uint32_t bits) {
  atomicOr(at, bits);
}

/// Blocks for `items` work items, `per_block` per block at a time. Capped, because HIP allows 2^32
/// threads in total: kernels use grid-stride loops.
inline int64_t blocks_for(int64_t items, int64_t per_block) {
  constexpr int64_t kMostBlocks = int64_t{1} << 20;
  return std::min(kMostBlocks, (items + per_block - 1) / per_block);
}

/// Enqueues `kernel` in blocks of kThreads. Throws if the launch fails.
template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), int64_t blocks, Stream stream,
            const Arguments&... arguments) {
#if defined(PINWHEEL_GPU_EMULATOR)
  (void)name;
  (void)stream;
  emulate(blocks, kThreads, [&] { kernel(arguments...); });
#else
  // clang-format 14 parses a launch as comparisons.
  // clang-format off
  kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(arguments...);
  // clang-format on
  const std::string error = launch_error();
  if (!error.empty()) {
    throw std::runtime_error(std::string("pinwheel: the GPU kernel `") + name +
                             "` could not be launched: " + error);
  }
#endif
}

/// One thread per unit, for `count` independent units.
template <class Body>
__global__ void unit_kernel(Body body, int64_t count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += stride) {
    body(i);
  }
}

template <class Body>
void launch_units(const char* name, const Body& body, int64_t count, void* stream) {
  if (count == 0) return;
  launch(name, &unit_kernel<Body>, blocks_for(count, kThreads), static_cast<Stream>(stream), body,
         count);
}

}  // namespace pinwheel::gpu
