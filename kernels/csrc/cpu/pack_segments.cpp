#include "jobs/pack_segments.h"

#include <cstring>

#include "cpu/parallel.h"

namespace pinwheel {

template <class Index>
void run_cpu(const PresenceJob<Index>& job) {
  parallel_over(job.segments, job.max_length, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      const int64_t length =
          std::max<int64_t>(0, std::min<int64_t>(job.lengths[b], job.max_length));
      bool* const row = job.out + b * job.max_length;
      std::memset(row, 1, length);
      std::memset(row + length, 0, job.max_length - length);
    }
  });
}

template void run_cpu(const PresenceJob<int32_t>&);
template void run_cpu(const PresenceJob<int64_t>&);

}  // namespace pinwheel
