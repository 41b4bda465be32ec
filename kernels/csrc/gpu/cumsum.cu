// Prefix sums of one long row are the vendor's scan, which reads and writes each number once. Where
// there is none, and for several rows, there are three passes: the sum of each chunk; a scan of the
// chunk sums of each row; a scan within each chunk, starting from its prefix. Rows of one chunk
// need only the last pass; for a short one, that single launch takes less time than the two of the
// vendor's scan. Deterministic: sums of integers do not depend on their order.

#include "jobs/cumsum.h"

#include "gpu/block_sum.h"
#include "gpu/device.h"
#include "gpu/device_scan.h"
#include "index/chunks.h"

namespace pinwheel {
namespace cumsum_kernels {

using namespace gpu;

constexpr int64_t kChunk = 16 * kThreads;

template <class Sum>
__global__ void chunk_totals_kernel(Chunks chunks, const Sum* in, Sum* totals) {
  __shared__ Sum group_totals[kGroups];
  for (int64_t c = blockIdx.x; c < chunks.count(); c += gridDim.x) {
    const Sum* const row = in + chunks.row_of(c) * chunks.length;
    Sum sum{0};
    for (int64_t i = chunks.begin_of(c) + threadIdx.x; i < chunks.end_of(c); i += kThreads) {
      sum += row[i];
    }
    const BlockSum<Sum> all = block_sum(sum, group_totals);
    if (threadIdx.x == 0) totals[c] = all.total;
  }
}

/// In place: chunk totals -> exclusive prefix sums. One block per row.
template <class Sum>
__global__ void chunk_starts_kernel(Chunks chunks, Sum* totals) {
  __shared__ Sum group_totals[kGroups];
  for (int64_t r = blockIdx.x; r < chunks.rows; r += gridDim.x) {
    Sum* const row = totals + r * chunks.per_row();
    Sum before{0};
    for (int64_t first = 0; first < chunks.per_row(); first += kThreads) {
      const int64_t i = first + threadIdx.x;
      const Sum number = i < chunks.per_row() ? row[i] : Sum{0};
      const BlockSum<Sum> sum = block_sum(number, group_totals);
      if (i < chunks.per_row()) row[i] = before + sum.inclusive - number;
      before += sum.total;
    }
  }
}

template <class Sum>
__global__ void chunk_sums_kernel(Chunks chunks, CumsumKind kind, const Sum* in, const Sum* starts,
                                  Sum* out) {
  __shared__ Sum group_totals[kGroups];
  const int64_t lead = kind == CumsumKind::kComplete ? 1 : 0;
  for (int64_t c = blockIdx.x; c < chunks.count(); c += gridDim.x) {
    const int64_t row = chunks.row_of(c);
    const Sum* const from = in + row * chunks.length;
    Sum* const to = out + row * (chunks.length + lead);
    Sum before = chunks.per_row() == 1 ? Sum{0} : starts[c];
    if (lead == 1 && threadIdx.x == 0 && chunks.begin_of(c) == 0) to[0] = Sum{0};
    for (int64_t first = chunks.begin_of(c); first < chunks.end_of(c); first += kThreads) {
      const int64_t i = first + threadIdx.x;
      const bool inside = i < chunks.end_of(c);
      const Sum number = inside ? from[i] : Sum{0};
      const BlockSum<Sum> sum = block_sum(number, group_totals);
      const Sum inclusive = before + sum.inclusive;
      if (inside) to[i + lead] = kind == CumsumKind::kExclusive ? inclusive - number : inclusive;
      before += sum.total;
    }
  }
}

/// Writes the leading 0 of each row when the rows themselves are empty.
template <class Sum>
struct LeadingZeros {
  Sum* out;
  PW_HD void operator()(int64_t row) const { out[row] = Sum{0}; }
};

Chunks chunks_of(const CumsumJob& job) {
  return Chunks{job.rows, job.length, kChunk};
}

bool is_scanned(const CumsumJob& job) {
  constexpr int64_t kShort = 4 * kThreads;
  return kHasDeviceScan && job.rows == 1 && job.length > kShort;
}

/// One row. If `scratch` is null, only sets `bytes`, how much of it is needed.
template <class Sum>
void scan_row(const CumsumJob& job, void* scratch, size_t& bytes, void* stream_in) {
  const Sum* const in = static_cast<const Sum*>(job.in);
  Sum* const out = static_cast<Sum*>(job.out);
  const Stream stream = static_cast<Stream>(stream_in);
  if (job.kind == CumsumKind::kInclusive) {
    return device_scan<ScanKind::kInclusive>("cumsum", scratch, bytes, in, out, job.length, stream);
  }
  const int64_t sums = job.length + (job.kind == CumsumKind::kComplete ? 1 : 0);
  const PaddedNumbers<Sum> padded{in, job.length};
  device_scan<ScanKind::kExclusive>("cumsum", scratch, bytes, padded, out, sums, stream);
}

template <class Sum>
int64_t scratch_bytes(const CumsumJob& job) {
  const Chunks chunks = chunks_of(job);
  if (!is_scanned(job)) {
    return chunks.per_row() > 1 ? chunks.count() * static_cast<int64_t>(sizeof(Sum)) : 0;
  }
  size_t bytes = 0;
  scan_row<Sum>(job, nullptr, bytes, nullptr);
  return static_cast<int64_t>(bytes);
}

/// Unsigned, because unsigned overflow is defined to wrap around.
template <class Sum>
void run(const CumsumJob& job, const Scratch& scratch, void* stream_in) {
  if (is_scanned(job)) {
    size_t bytes = static_cast<size_t>(scratch.bytes);
    return scan_row<Sum>(job, scratch.at, bytes, stream_in);
  }
  const Chunks chunks = chunks_of(job);
  const Sum* const in = static_cast<const Sum*>(job.in);
  Sum* const out = static_cast<Sum*>(job.out);
  Sum* const totals = static_cast<Sum*>(scratch.at);
  const Stream stream = static_cast<Stream>(stream_in);
  if (job.length == 0) {
    if (job.kind == CumsumKind::kComplete) {
      launch_units("cumsum", LeadingZeros<Sum>{out}, job.rows, stream_in);
    }
    return;
  }
  if (job.rows == 0) return;
  const int64_t blocks = blocks_for(chunks.count(), 1);
  if (chunks.per_row() > 1) {
    launch("cumsum", &chunk_totals_kernel<Sum>, blocks, stream, chunks, in, totals);
    launch("cumsum", &chunk_starts_kernel<Sum>, blocks_for(job.rows, 1), stream, chunks, totals);
  }
  launch("cumsum", &chunk_sums_kernel<Sum>, blocks, stream, chunks, job.kind, in,
         static_cast<const Sum*>(totals), out);
}

}  // namespace cumsum_kernels

using namespace cumsum_kernels;

int64_t gpu_scratch_bytes(const CumsumJob& job) {
  return job.dtype == CumsumDtype::kInt32 ? scratch_bytes<unsigned int>(job)
                                          : scratch_bytes<unsigned long long>(job);
}

void run_gpu(const CumsumJob& job, const Scratch& scratch, void* stream) {
  switch (job.dtype) {
    case CumsumDtype::kInt32:
      return run<unsigned int>(job, scratch, stream);
    case CumsumDtype::kInt64:
      return run<unsigned long long>(job, scratch, stream);
    default:
      throw std::runtime_error("pinwheel: prefix sums on a GPU support integers only");
  }
}

}  // namespace pinwheel
