// The GPU kernels themselves, run by the emulator and compared with the obvious loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/cumsum.cu"
#include "../../csrc/gpu/jagged.cu"
#include "../../csrc/gpu/permute.cu"

#include <numeric>
#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

template <class Number>
std::vector<Number> sums_of_a_loop(CumsumKind kind, const std::vector<Number>& in, int64_t rows,
                                   int64_t length) {
  std::vector<Number> out;
  for (int64_t r = 0; r < rows; ++r) {
    Number sum = 0;
    if (kind == CumsumKind::kComplete) out.push_back(0);
    for (int64_t i = 0; i < length; ++i) {
      if (kind == CumsumKind::kExclusive) out.push_back(sum);
      sum += in[r * length + i];
      if (kind != CumsumKind::kExclusive) out.push_back(sum);
    }
  }
  return out;
}

template <class Number>
void sums_are_those_of_a_loop(CumsumDtype dtype) {
  std::mt19937 random(1);
  for (const int64_t rows : {0, 1, 2}) {
    for (const int64_t length : {0, 1, 31, 32, 33, 255, 256, 257, 4095, 4096, 4097, 9000}) {
      for (const CumsumKind kind :
           {CumsumKind::kExclusive, CumsumKind::kInclusive, CumsumKind::kComplete}) {
        std::vector<Number> in(rows * length);
        for (Number& number : in) number = static_cast<Number>(random());
        const std::vector<Number> expected = sums_of_a_loop(kind, in, rows, length);
        std::vector<Number> out(expected.size(), Number{77});
        CumsumJob job{kind, dtype, in.data(), out.data(), rows, length};
        std::vector<char> scratch(gpu_scratch_bytes(job), char{55});
        run_gpu(job, Scratch{scratch.data(), gpu_scratch_bytes(job)}, nullptr);
        CHECK(out == expected);
      }
    }
  }
}

/// More chunks in a row than a block has threads. A row alone is scanned by the stand-in for the
/// vendor's scan, two rows by the kernels.
void very_long_rows_are_summed_too() {
  const int64_t length = 4096 * 300 + 17;
  for (const int64_t rows : {1, 2}) {
    std::vector<uint64_t> in(rows * length);
    std::mt19937_64 random(2);
    for (uint64_t& number : in) number = random();
    std::vector<uint64_t> out(rows * (length + 1));
    CumsumJob job{CumsumKind::kComplete, CumsumDtype::kInt64, in.data(), out.data(), rows, length};
    std::vector<char> scratch(gpu_scratch_bytes(job));
    run_gpu(job, Scratch{scratch.data(), gpu_scratch_bytes(job)}, nullptr);
    CHECK(out == sums_of_a_loop(CumsumKind::kComplete, in, rows, length));
  }
}

template <class Index>
void features_are_permuted() {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const int64_t features = 1 + random() % 20;
    const int64_t batch = random() % 70;
    std::vector<Index> lengths(features * batch);
    for (Index& length : lengths) length = static_cast<Index>(random() % 4);
    std::vector<int64_t> sums(features, -1);
    run_gpu(FeatureSumsJob<Index>{lengths.data(), sums.data(), features, batch}, nullptr);
    std::vector<int64_t> starts = {0};
    for (int64_t t = 0; t < features; ++t) {
      int64_t sum = 0;
      for (int64_t b = 0; b < batch; ++b) sum += lengths[t * batch + b];
      CHECK(sums[t] == sum);
      starts.push_back(starts.back() + sum);
    }

    // Two entries are out of range: their features must be empty.
    std::vector<int64_t> permute(random() % 20);
    for (int64_t& feature : permute) feature = static_cast<int64_t>(random() % (features + 2)) - 1;
    const int64_t count = static_cast<int64_t>(permute.size());
    std::vector<Index> out_lengths(count * batch, Index{9});
    std::vector<int64_t> out_sums(count, -1);
    std::vector<int64_t> out_starts(count, -1);
    run_gpu(PermuteLengthsJob<Index>{permute.data(), lengths.data(), sums.data(), starts.data(),
                                     features, count, batch, out_lengths.data(), out_sums.data(),
                                     out_starts.data()},
            nullptr);
    std::vector<int64_t> offsets = {0};
    for (const int64_t sum : out_sums) offsets.push_back(offsets.back() + sum);

    std::vector<uint16_t> values(starts.back());
    for (uint16_t& value : values) value = static_cast<uint16_t>(random());
    std::vector<uint16_t> out(offsets.back(), 1);
    std::vector<uint16_t> expected;
    for (int64_t t = 0; t < count; ++t) {
      const bool inside = permute[t] >= 0 && permute[t] < features;
      for (int64_t b = 0; b < batch; ++b) {
        CHECK(out_lengths[t * batch + b] == (inside ? lengths[permute[t] * batch + b] : 0));
      }
      if (!inside) continue;
      expected.insert(expected.end(), values.begin() + starts[permute[t]],
                      values.begin() + starts[permute[t] + 1]);
    }
    run_gpu(
        SegmentCopyJob{offsets.data(), out_starts.data(), count, values.data(), out.data(),
                       static_cast<int64_t>(values.size()), static_cast<int64_t>(out.size()), 1, 2},
        nullptr);
    CHECK(out == expected);
  }
}

/// So many bags that they are copied by tiles; short ones, and long ones that span several tiles.
void many_bags_are_copied() {
  std::mt19937 random(4);
  for (int round = 0; round < 6; ++round) {
    const int64_t segments = 1100;
    std::vector<int64_t> offsets = {0};
    std::vector<int64_t> starts;
    for (int64_t s = 0; s < segments; ++s) {
      const int longest = random() % 100 == 0 ? 900 : 6;
      offsets.push_back(offsets.back() + static_cast<int64_t>(random() % longest));
      starts.push_back(static_cast<int64_t>(random() % 3000) - 20);
    }
    std::vector<uint32_t> in(3000);
    for (uint32_t& value : in) value = 1 + static_cast<uint32_t>(random() % 1000);
    std::vector<uint32_t> expected(offsets.back() + 30, 0);  // past the last bag: 0
    for (int64_t s = 0; s < segments; ++s) {
      for (int64_t at = offsets[s]; at < offsets[s + 1]; ++at) {
        const int64_t from = starts[s] + at - offsets[s];
        if (from >= 0 && from < 3000) expected[at] = in[from];
      }
    }
    std::vector<uint32_t> out(expected.size() + 1, 7);
    run_gpu(SegmentCopyJob{offsets.data(), starts.data(), segments, in.data(), out.data(), 3000,
                           static_cast<int64_t>(expected.size()), 1, 4},
            nullptr);
    CHECK(out.back() == 7);
    out.pop_back();
    CHECK(out == expected);
    if (round < 3) continue;
    for (int64_t& offset : offsets) {
      if (random() % 4 == 0) offset = static_cast<int64_t>(random() * 0x9e3779b97f4a7c15u);
    }
    run_gpu(SegmentCopyJob{offsets.data(), starts.data(), segments, in.data(), out.data(), 3000,
                           static_cast<int64_t>(out.size()), 1, 4},
            nullptr);
  }
}

/// A batch so long that a feature's sum takes a block.
void long_features_are_added_up() {
  std::vector<int32_t> lengths(3 * 1500);
  std::mt19937 random(5);
  for (int32_t& length : lengths) length = static_cast<int32_t>(random() % 9);
  std::vector<int64_t> sums(3, -1);
  run_gpu(FeatureSumsJob<int32_t>{lengths.data(), sums.data(), 3, 1500}, nullptr);
  for (int t = 0; t < 3; ++t) {
    const auto begin = lengths.begin() + 1500 * t;
    CHECK(sums[t] == std::accumulate(begin, begin + 1500, int64_t{0}));
  }
}

/// Rows in several tiles.
void many_jagged_rows_are_gathered() {
  const int64_t groups = 700;
  std::mt19937 random(6);
  std::vector<int64_t> offsets = {0};
  for (int64_t g = 0; g < groups; ++g) {
    offsets.push_back(offsets.back() + static_cast<int64_t>(random() % 5));
  }
  for (const int64_t words : {1, 3, 300}) {
    std::vector<uint32_t> dense(groups * 3 * words);
    for (uint32_t& word : dense) word = static_cast<uint32_t>(random());
    std::vector<uint32_t> values(offsets.back() * words, 7);
    DenseToJaggedJob<int64_t> job;
    job.jagged.depth = 1;
    job.jagged.value_rows = offsets.back();
    job.jagged.offsets[0] = offsets.data();
    job.jagged.groups[0] = groups;
    job.jagged.max_length[0] = 3;
    job.dense = dense.data();
    job.values = values.data();
    job.row_bytes = 4 * words;
    run_gpu(job, nullptr);
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t row = offsets[g]; row < offsets[g + 1]; ++row) {
        const int64_t l = row - offsets[g];
        for (int64_t w = 0; w < words; ++w) {
          const uint32_t expected = l < 3 ? dense[(g * 3 + l) * words + w] : 0;
          CHECK(values[row * words + w] == expected);
        }
      }
    }
  }
}

template <class Index>
void jagged_rows_round_trip() {
  const std::vector<Index> offsets = {0, 3, 3, 4, 9};
  for (const int64_t row_bytes : {1, 2, 4, 12, 16, 48}) {
    std::vector<unsigned char> values(9 * row_bytes);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(1 + i % 199);
    const int64_t longest = 4;
    const int64_t dense_rows = 4 * longest;
    std::vector<unsigned char> dense(dense_rows * row_bytes, 255);
    JaggedToDenseJob<Index> there;
    there.jagged.depth = 1;
    there.jagged.value_rows = 9;
    there.jagged.offsets[0] = offsets.data();
    there.jagged.groups[0] = 4;
    there.jagged.max_length[0] = longest;
    there.values = values.data();
    there.dense = dense.data();
    there.row_bytes = row_bytes;
    there.dense_rows = dense_rows;
    run_gpu(there, nullptr);
    std::vector<unsigned char> back(values.size(), 255);
    DenseToJaggedJob<Index> again;
    again.jagged = there.jagged;
    again.dense = dense.data();
    again.values = back.data();
    again.row_bytes = row_bytes;
    run_gpu(again, nullptr);
    for (int64_t row = 0; row < 9; ++row) {
      const bool cut = row == 8;  // the fifth row of the last group
      for (int64_t at = row * row_bytes; at < (row + 1) * row_bytes; ++at) {
        CHECK(back[at] == (cut ? 0 : values[at]));
      }
    }
    // The second group is empty.
    for (int64_t at = 4 * row_bytes; at < 8 * row_bytes; ++at) CHECK(dense[at] == 0);
  }
}

void everything() {
  sums_are_those_of_a_loop<uint32_t>(CumsumDtype::kInt32);
  sums_are_those_of_a_loop<uint64_t>(CumsumDtype::kInt64);
  features_are_permuted<int32_t>();
  features_are_permuted<int64_t>();
  jagged_rows_round_trip<int32_t>();
  jagged_rows_round_trip<int64_t>();
  many_bags_are_copied();
  long_features_are_added_up();
  many_jagged_rows_are_gathered();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
  very_long_rows_are_summed_too();
}
