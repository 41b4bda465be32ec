#pragma once

// The vendor's prefix sums in one pass (decoupled look-back), CUB's. The HIP toolchain of this
// project has neither hipCUB nor rocPRIM: kHasDeviceScan is false there. The emulator runs a loop
// instead, which tests the callers.

#include <cstddef>
#include <iterator>

#include "gpu/device.h"

#if defined(PINWHEEL_GPU_EMULATOR) || defined(__HIP_PLATFORM_AMD__)
#include <cstring>
#else
#define CCCL_DISABLE_NVTX
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#endif

namespace pinwheel::gpu {

#if defined(__HIP_PLATFORM_AMD__)
constexpr bool kHasDeviceScan = false;
#else
constexpr bool kHasDeviceScan = true;
#endif

/// `length` numbers and any number of zeros after them. A scan reads one number more than it needs
/// for its last exclusive sum, which is the total.
template <class Number>
struct PaddedNumbers {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Number;
  using difference_type = int64_t;
  using pointer = const Number*;
  using reference = Number;

  const Number* numbers;
  int64_t length;  ///< from `numbers` on; may be negative

  PW_HD Number operator*() const { return length > 0 ? *numbers : Number{0}; }
  PW_HD Number operator[](int64_t i) const { return i < length ? numbers[i] : Number{0}; }
  PW_HD PaddedNumbers operator+(int64_t distance) const {
    return {numbers + distance, length - distance};
  }
};

/// Whether the first sum is 0 or the first number.
enum class ScanKind { kExclusive, kInclusive };

/// Writes the sums of the first `count` of `numbers` to `out`. If `scratch` is null, only sets
/// `bytes`, how much of it is needed. Throws if the launch fails.
template <ScanKind kind, class Numbers, class Sum>
void device_scan([[maybe_unused]] const char* name, void* scratch, size_t& bytes, Numbers numbers,
                 Sum* out, int64_t count, Stream stream) {
#if defined(__HIP_PLATFORM_AMD__)
  throw std::runtime_error("pinwheel: HIP has no device-wide scan");
#elif defined(PINWHEEL_GPU_EMULATOR)
  (void)stream;
  if (scratch == nullptr) {
    bytes = static_cast<size_t>(count / 1024 + 1);
    return;
  }
  std::memset(scratch, 0xab, bytes);
  Sum sum{0};
  for (int64_t i = 0; i < count; ++i) {
    const Sum before = sum;
    sum += numbers[i];
    out[i] = kind == ScanKind::kExclusive ? before : sum;
  }
#else
  const cuda::std::plus<Sum> plus;
  cudaError_t error = cudaSuccess;
  if constexpr (kind == ScanKind::kExclusive) {
    error =
        cub::DeviceScan::ExclusiveScan(scratch, bytes, numbers, out, plus, Sum{0}, count, stream);
  } else {
    error = cub::DeviceScan::InclusiveScan(scratch, bytes, numbers, out, plus, count, stream);
  }
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string("pinwheel: the GPU scan `") + name +
                             "` could not be launched: " + cudaGetErrorString(error));
  }
#endif
}

}  // namespace pinwheel::gpu
