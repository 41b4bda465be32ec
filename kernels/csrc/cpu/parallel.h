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

}  // namespace pinwheel
