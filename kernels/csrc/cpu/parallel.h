#pragma once

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <cstdint>

namespace pinwheel {

/// Runs `body(begin, end)` over [0, count) on torch's own thread pool; each task gets at least
/// `bytes_per_task` bytes of work, at `bytes_each` bytes per item.
template <class Body>
void parallel_over(int64_t count, int64_t bytes_each, const Body& body,
                   int64_t bytes_per_task = 64 * 1024) {
  if (count <= 0) return;
  const int64_t grain = std::max<int64_t>(1, bytes_per_task / std::max<int64_t>(1, bytes_each));
  torch::stable::parallel_for(0, count, grain, body);
}

/// Prefetches `bytes` bytes that will be read soon, in order: hardware prefetchers stop at page
/// boundaries. The address need not be readable.
inline void fetch_ahead(const void* at, int64_t bytes) {
  constexpr int64_t kLine = 64;
  for (int64_t byte = 0; byte < bytes; byte += kLine) {
    __builtin_prefetch(static_cast<const char*>(at) + byte);
  }
}

}  // namespace pinwheel
