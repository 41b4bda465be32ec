// The GPU kernels of bounds_check_indices, run by the emulator and compared with the obvious loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/bounds.cu"

#include <numeric>
#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

using Random = std::mt19937;

template <class Index, class Offset>
struct Example {
  std::vector<int64_t> rows;
  std::vector<int32_t> bag_starts = {0};
  bool equal = true;
  std::vector<Offset> offsets = {0};
  std::vector<Index> indices;
  int64_t warnings = 0;
};

template <class Index, class Offset>
Example<Index, Offset> random_example(Random& random) {
  Example<Index, Offset> e;
  const int tables = 1 + random() % 6;
  const int longest = random() % 2 == 0 ? 3 : 60;
  const int batch = random() % 100;
  e.equal = random() % 2 == 0;
  for (int t = 0; t < tables; ++t) {
    e.rows.push_back(1 + random() % 50);
    const int bags = e.equal ? batch : random() % 100;
    e.bag_starts.push_back(e.bag_starts.back() + bags);
    for (int b = 0; b < bags; ++b) {
      const int length = random() % longest;
      e.offsets.push_back(static_cast<Offset>(e.offsets.back() + length));
      for (int k = 0; k < length; ++k) {
        e.indices.push_back(static_cast<Index>(random() % (e.rows[t] + 1)) - 1);
      }
    }
  }
  return e;
}

template <class Index, class Offset>
void spoil(Example<Index, Offset>& e, Random& random, bool offsets_too) {
  const int64_t count = static_cast<int64_t>(e.indices.size());
  for (Index& index : e.indices) {
    if (random() % 9 == 0) index = static_cast<Index>(random() % 200) - 100;
  }
  for (Offset& offset : e.offsets) {
    if (offsets_too && random() % 9 == 0) {
      offset = static_cast<Offset>(static_cast<int64_t>(random() % (3 * count + 5)) - count);
    }
  }
}

/// Bag by bag, like FBGEMM's CPU operator.
template <class Index, class Offset>
void repair_by_loops(Example<Index, Offset>& e) {
  const Offset count = static_cast<Offset>(e.indices.size());
  if (e.offsets.back() != count) ++e.warnings;
  e.offsets.back() = count;
  size_t bag = 0;
  for (size_t t = 0; t < e.rows.size(); ++t) {
    for (; bag < static_cast<size_t>(e.bag_starts[t + 1]); ++bag) {
      Offset& begin = e.offsets[bag];
      Offset& end = e.offsets[bag + 1];
      if (begin < 0 || begin > end || end > count) {
        begin = std::max<Offset>(0, std::min(begin, count));
        end = std::max(begin, std::min(end, count));
        ++e.warnings;
      }
      for (Offset i = begin; i < end; ++i) {
        if (e.indices[i] == -1 || (e.indices[i] >= 0 && e.indices[i] < e.rows[t])) continue;
        e.indices[i] = 0;
        ++e.warnings;
      }
    }
  }
}

/// `indices` are sometimes unaligned. Returns the number of invalid offsets.
template <class Index, class Offset>
int64_t run_kernels(Example<Index, Offset>& e, bool repair, bool odd) {
  alignas(16) static Index storage[200000];
  Index* const indices = storage + (odd ? 1 : 0) + 4;
  std::fill(std::begin(storage), std::end(storage), Index{-77});
  std::copy(e.indices.begin(), e.indices.end(), indices);
  BoundsJob<Index, Offset> job;
  job.bags.tables = static_cast<int64_t>(e.rows.size());
  job.bags.bags = static_cast<int64_t>(e.offsets.size()) - 1;
  job.bags.batch = e.equal ? job.bags.bags / job.bags.tables : 0;
  job.bags.bag_starts = e.equal ? nullptr : e.bag_starts.data();
  job.bags.offsets = e.offsets.data();
  job.offsets = e.offsets.data();
  job.indices = indices;
  job.count = static_cast<int64_t>(e.indices.size());
  job.rows = e.rows.data();
  job.repair = repair;
  job.warnings = &e.warnings;
  e.warnings = 99;  // cleared by the kernels
  std::vector<int64_t> bad_offsets(gpu_offset_counts(job.bags.bags), 99);
  run_gpu(job, bad_offsets.data(), nullptr);
  CHECK(indices[-1] == -77);
  CHECK(indices[job.count] == -77);
  std::copy(indices, indices + job.count, e.indices.begin());
  return std::accumulate(bad_offsets.begin(), bad_offsets.end(), int64_t{0});
}

template <class Index, class Offset>
void repairs_match_loops() {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    Example<Index, Offset> example = random_example<Index, Offset>(random);
    if (round % 3 > 0) spoil(example, random, round % 3 == 2);
    Example<Index, Offset> expected = example;
    repair_by_loops(expected);
    Example<Index, Offset> counted = example;
    const int64_t bad_offsets = run_kernels(counted, false, round % 2 == 0);
    CHECK(counted.indices == example.indices && counted.offsets == example.offsets);
    CHECK((bad_offsets == 0) == (expected.offsets == example.offsets));
    if (bad_offsets == 0) CHECK(counted.warnings == expected.warnings);
    run_kernels(example, true, round % 2 == 0);
    CHECK(example.offsets == expected.offsets);
    CHECK(example.indices == expected.indices);
    CHECK(example.warnings == expected.warnings);
  }
}

/// Bags of nonexistent tables: the offsets are still repaired, and nothing outside the indices is
/// written.
template <class Index, class Offset>
void out_of_range_bag_starts_are_harmless() {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    Example<Index, Offset> example = random_example<Index, Offset>(random);
    spoil(example, random, true);
    example.equal = false;
    for (int32_t& start : example.bag_starts) start += static_cast<int32_t>(random() % 900) - 450;
    run_kernels(example, true, false);
    for (size_t b = 1; b < example.offsets.size(); ++b) {
      CHECK(example.offsets[b - 1] <= example.offsets[b]);
    }
    CHECK(example.offsets[0] >= 0);
    CHECK(example.offsets.back() == static_cast<Offset>(example.indices.size()));
  }
}

void everything() {
  repairs_match_loops<int32_t, int32_t>();
  repairs_match_loops<int32_t, int64_t>();
  repairs_match_loops<int64_t, int32_t>();
  repairs_match_loops<int64_t, int64_t>();
  out_of_range_bag_starts_are_harmless<int32_t, int64_t>();
  out_of_range_bag_starts_are_harmless<int64_t, int32_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
