#pragma once

#include <cstdint>

namespace pinwheel {

enum class CumsumKind { kExclusive, kInclusive, kComplete };
enum class CumsumDtype { kInt32, kInt64, kFloat32, kFloat64 };

/// Prefix sums of `rows` rows of `length` elements. `out` has rows of `length`, or `length` + 1 for
/// kComplete (a leading 0). Integers wrap around as torch's do.
struct CumsumJob {
  CumsumKind kind = CumsumKind::kComplete;
  CumsumDtype dtype = CumsumDtype::kInt64;
  const void* in = nullptr;
  void* out = nullptr;
  int64_t rows = 1;
  int64_t length = 0;
};

void run_cpu(const CumsumJob& job);

/// Memory on the device that a job may overwrite while it runs.
struct Scratch {
  void* at = nullptr;
  int64_t bytes = 0;
};

/// Scratch memory that `run_gpu` needs, on the current device.
int64_t gpu_scratch_bytes(const CumsumJob& job);
/// Enqueues on `stream`; integers only. Throws if the launch fails.
void run_gpu(const CumsumJob& job, const Scratch& scratch, void* stream);

}  // namespace pinwheel
