// Once the offsets are valid, the indices of a table are contiguous: they are compared with one row
// count, vectorized, and examined one by one only if something is wrong.

#include "jobs/bounds.h"

#include <atomic>

#include "cpu/parallel.h"
#include "simd/bounds.h"

namespace pinwheel {
namespace {

constexpr int64_t kChunk = 1024;

template <class Index, class Offset>
bool offsets_are_sound(const BoundsJob<Index, Offset>& job) {
  const int64_t last = job.bags.bags;
  return job.offsets[0] >= 0 && static_cast<int64_t>(job.offsets[last]) == job.count &&
         CALL_FOR_ISA(simd, never_falls, job.offsets, last + 1);
}

/// Calls `body(first, last, rows)` for ranges of indices of one table each, from several threads;
/// ranges never overlap.
template <class Index, class Offset, class Body>
void for_each_chunk(const BoundsJob<Index, Offset>& job, const Body& body) {
  if (job.bags.tables == 0) return;
  const int64_t begin = job.bags.first_index(0);
  const int64_t end = job.bags.first_index(job.bags.tables);
  constexpr int64_t kBytesPerThread = 1024 * 1024;
  parallel_over(
      end - begin, sizeof(Index),
      [&](int64_t from, int64_t to) {
        const int64_t stop = begin + to;
        int64_t t = table_of(job.bags, begin + from);
        for (int64_t at = begin + from; at < stop; ++t) {
          const int64_t table_end = std::min(stop, job.bags.first_index(t + 1));
          for (; at < table_end; at = std::min(table_end, at + kChunk)) {
            body(at, std::min(table_end, at + kChunk), job.rows[t]);
          }
        }
      },
      kBytesPerThread);
}

/// Returns the number of repairs: whether the last offset was wrong, plus the number of bad bags.
template <class Index, class Offset>
int64_t repair_offsets(const BoundsJob<Index, Offset>& job) {
  const int64_t last = job.bags.bags;
  const Offset count = static_cast<Offset>(job.count);
  int64_t warnings = 0;
  if (job.offsets[last] != count) {
    job.offsets[last] = count;
    ++warnings;
  }
  for (int64_t b = 0; b < last; ++b) {
    Offset& begin = job.offsets[b];
    Offset& end = job.offsets[b + 1];
    if (begin >= 0 && begin <= end && end <= count) continue;
    begin = std::max<Offset>(0, std::min(begin, count));
    end = std::max(begin, std::min(end, count));
    ++warnings;
  }
  return warnings;
}

template <class Index, class Offset>
int64_t bad_offset(const BoundsJob<Index, Offset>& job) {
  const int64_t last = job.bags.bags;
  for (int64_t b = 0; b <= last; ++b) {
    const int64_t least = b == 0 ? 0 : static_cast<int64_t>(job.offsets[b - 1]);
    const int64_t offset = job.offsets[b];
    if (offset < least || offset > job.count || (b == last && offset != job.count)) return b;
  }
  return -1;
}

}  // namespace

template <class Index, class Offset>
FirstBad find_bad_cpu(const BoundsJob<Index, Offset>& job) {
  if (!offsets_are_sound(job)) return {bad_offset(job), -1};
  std::atomic<int64_t> first_bad{job.count};
  for_each_chunk(job, [&](int64_t first, int64_t last, int64_t rows) {
    if (CALL_FOR_ISA(simd, all_rows, job.indices + first, last - first, rows)) return;
    while (is_row(job.indices[first], rows)) ++first;
    int64_t seen = first_bad.load();
    while (first < seen && !first_bad.compare_exchange_weak(seen, first)) continue;
  });
  return {-1, first_bad < job.count ? first_bad.load() : -1};
}

template <class Index, class Offset>
void run_cpu(const BoundsJob<Index, Offset>& job) {
  int64_t warnings = offsets_are_sound(job) ? 0 : repair_offsets(job);
  std::atomic<int64_t> bad_indices{0};
  for_each_chunk(job, [&](int64_t first, int64_t last, int64_t rows) {
    if (CALL_FOR_ISA(simd, all_rows, job.indices + first, last - first, rows)) return;
    int64_t bad = 0;
    for (int64_t i = first; i < last; ++i) {
      if (is_row(job.indices[i], rows)) continue;
      job.indices[i] = 0;
      ++bad;
    }
    bad_indices += bad;
  });
  if (job.warnings != nullptr) *job.warnings += warnings + bad_indices;
}

template FirstBad find_bad_cpu(const BoundsJob<int32_t, int32_t>&);
template FirstBad find_bad_cpu(const BoundsJob<int32_t, int64_t>&);
template FirstBad find_bad_cpu(const BoundsJob<int64_t, int32_t>&);
template FirstBad find_bad_cpu(const BoundsJob<int64_t, int64_t>&);
template void run_cpu(const BoundsJob<int32_t, int32_t>&);
template void run_cpu(const BoundsJob<int32_t, int64_t>&);
template void run_cpu(const BoundsJob<int64_t, int32_t>&);
template void run_cpu(const BoundsJob<int64_t, int64_t>&);

}  // namespace pinwheel
