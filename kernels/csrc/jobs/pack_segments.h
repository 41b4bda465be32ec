#pragma once

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

/// out[b, l] = whether segment b has a row l. Packing itself is jagged to dense and back.
template <class Index>
struct PresenceJob {
  const Index* lengths = nullptr;
  int64_t segments = 0;
  int64_t max_length = 0;
  bool* out = nullptr;
};

/// Unit i: entry i.
template <class Index>
PW_HD void presence_unit(const PresenceJob<Index>& job, int64_t i) {
  job.out[i] = i % job.max_length < static_cast<int64_t>(job.lengths[i / job.max_length]);
}

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const PresenceJob<Index>& job);
template <class Index>
void run_gpu(const PresenceJob<Index>& job, void* stream);

}  // namespace pinwheel
