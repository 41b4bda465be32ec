#pragma once

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <cstdint>

namespace pinwheel {

/// Runs `body(begin, end)` over [0, count) on torch's own thread pool; a thread gets at least
/// `bytes_per_task` of the work, which is `bytes_each` bytes an item.
template <class Body>
void parallel_over(int64_t count, int64_t bytes_each, const Body& body,
                   int64_t bytes_per_task = 64 * 1024) {
  if (count <= 0) return;
  const int64_t grain = std::max<int64_t>(1, bytes_per_task / std::max<int64_t>(1, bytes_each));
  torch::stable::parallel_for(0, count, grain, body);
}

/// Asks for `bytes` bytes that are read soon, in order: what a CPU fetches by itself stops at the
/// ends of pages. They may lie behind what can be read.
inline void fetch_ahead(const void* at, int64_t bytes) {
  constexpr int64_t kLine = 64;
  for (int64_t byte = 0; byte < bytes; byte += kLine) {
    __builtin_prefetch(static_cast<const char*>(at) + byte);
  }
}

}  // namespace pinwheel
