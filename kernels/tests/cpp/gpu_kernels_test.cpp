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

/// The output of a permutation, from the three steps that the operator runs on a GPU.
template <class Index>
struct Permuted {
  std::vector<int64_t> in_offsets;
  std::vector<int64_t> out_offsets;
  std::vector<int64_t> sources;
  std::vector<Index> lengths;

  template <class Entry>
  Permuted(const std::vector<Entry>& permute, const std::vector<Index>& in_lengths,
           int64_t features, int64_t batch) {
    const int64_t count = static_cast<int64_t>(permute.size());
    PermuteLengthsJob<Index, Entry> job;
    job.parts = gpu_permute_parts(batch);
    job.chunk = gpu_permute_chunk(std::max(features, count));
    in_offsets.assign(features + 1, -1);
    out_offsets.assign(count + 1, -1);
    sources.assign(count, -7);
    lengths.assign(count * batch, Index{9});
    std::vector<int64_t> sums(features * job.parts, -1);
    std::vector<int64_t> in_totals(features / job.chunk + 1, -1);
    std::vector<int64_t> out_totals(count / job.chunk + 1, -1);
    job.permute = permute.data();
    job.lengths = in_lengths.data();
    job.features_in = features;
    job.features_out = count;
    job.batch = batch;
    job.out_lengths = lengths.data();
    job.sources = sources.data();
    job.sums = sums.data();
    job.in_totals = in_totals.data();
    job.out_totals = out_totals.data();
    run_gpu(job, nullptr);
    if (batch == 1) {
      SegmentOffsetsJob<Index> offsets;
      offsets.chunk = job.chunk;
      offsets.in = {in_lengths.data(), nullptr, features, 1, job.in_totals, in_offsets.data()};
      offsets.out = {lengths.data(), nullptr, count, 1, job.out_totals, out_offsets.data()};
      run_gpu(offsets, nullptr);
      return;
    }
    SegmentOffsetsJob<int64_t> offsets;
    offsets.chunk = job.chunk;
    offsets.in = {job.sums, nullptr, features, job.parts, job.in_totals, in_offsets.data()};
    offsets.out = {job.sums, job.sources, count, job.parts, job.out_totals, out_offsets.data()};
    run_gpu(offsets, nullptr);
  }
};

/// Values of 2, 4 or 8 bytes along with weights of 4, in one call.
template <class Value, class Index>
void values_are_permuted(const Permuted<Index>& permuted, std::mt19937& random) {
  const int64_t values = permuted.in_offsets.back();
  const int64_t count = permuted.out_offsets.back();
  std::vector<Value> in(values);
  for (Value& value : in) value = static_cast<Value>(random());
  const std::vector<uint32_t> weights(in.begin(), in.end());
  std::vector<Value> out(count + 1, 1);
  std::vector<uint32_t> out_weights(count + 1, 1);
  SegmentCopyJob job;
  job.offsets = permuted.out_offsets.data();
  job.starts = permuted.in_offsets.data();
  job.sources = permuted.sources.data();
  job.segments = static_cast<int64_t>(permuted.sources.size());
  job.in_elements = values;
  job.out_elements = count;
  SegmentCopyJob other = job;
  job.in = in.data();
  job.out = out.data();
  job.word_bytes = sizeof(Value);
  other.in = weights.data();
  other.out = out_weights.data();
  other.word_bytes = 4;
  run_gpu(job, &other, nullptr);
  std::vector<Value> expected;
  for (const int64_t source : permuted.sources) {
    if (source < 0) continue;
    expected.insert(expected.end(), in.begin() + permuted.in_offsets[source],
                    in.begin() + permuted.in_offsets[source + 1]);
  }
  std::vector<uint32_t> expected_weights(expected.begin(), expected.end());
  expected.push_back(1);
  expected_weights.push_back(1);
  CHECK(out == expected);
  CHECK(out_weights == expected_weights);
}

template <class Index, class Entry>
void features_match_a_loop(int64_t features, int64_t batch, int64_t count, std::mt19937& random) {
  std::vector<Index> lengths(features * batch);
  for (Index& length : lengths) length = static_cast<Index>(random() % 4);
  // Two entries are out of range: their features must be empty.
  std::vector<Entry> permute(count);
  for (Entry& feature : permute) feature = static_cast<Entry>(random() % (features + 2)) - 1;
  const Permuted<Index> got(permute, lengths, features, batch);
  for (int64_t t = 0; t < features; ++t) {
    const auto begin = lengths.begin() + batch * t;
    CHECK(got.in_offsets[t + 1] - got.in_offsets[t] ==
          std::accumulate(begin, begin + batch, int64_t{0}));
  }
  CHECK(got.in_offsets[0] == 0 && got.out_offsets[0] == 0);
  for (int64_t t = 0; t < count; ++t) {
    const bool inside = permute[t] >= 0 && permute[t] < features;
    CHECK(got.sources[t] == (inside ? permute[t] : -1));
    int64_t sum = 0;
    for (int64_t b = 0; b < batch; ++b) {
      const Index length = inside ? lengths[permute[t] * batch + b] : 0;
      CHECK(got.lengths[t * batch + b] == length);
      sum += length;
    }
    CHECK(got.out_offsets[t + 1] - got.out_offsets[t] == sum);
  }
  values_are_permuted<uint16_t>(got, random);
  values_are_permuted<uint32_t>(got, random);
  values_are_permuted<uint64_t>(got, random);
}

template <class Index, class Entry>
void features_are_permuted() {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    features_match_a_loop<Index, Entry>(1 + random() % 20, round % 6 == 0 ? 1 : random() % 70,
                                        random() % 20, random);
  }
  features_match_a_loop<Index, Entry>(3, 1500, 4, random);     // blocks per feature: one
  features_match_a_loop<Index, Entry>(2, 5001, 3, random);     // several
  features_match_a_loop<Index, Entry>(5000, 1, 2100, random);  // many chunks of lengths
  features_match_a_loop<Index, Entry>(1100, 2, 2100, random);  // and of sums
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
            nullptr, nullptr);
    CHECK(out.back() == 7);
    out.pop_back();
    CHECK(out == expected);
    if (round < 3) continue;
    for (int64_t& offset : offsets) {
      if (random() % 4 == 0) offset = static_cast<int64_t>(random() * 0x9e3779b97f4a7c15u);
    }
    run_gpu(SegmentCopyJob{offsets.data(), starts.data(), segments, in.data(), out.data(), 3000,
                           static_cast<int64_t>(out.size()), 1, 4},
            nullptr, nullptr);
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
  features_are_permuted<int32_t, int32_t>();
  features_are_permuted<int32_t, int64_t>();
  features_are_permuted<int64_t, int32_t>();
  features_are_permuted<int64_t, int64_t>();
  jagged_rows_round_trip<int32_t>();
  jagged_rows_round_trip<int64_t>();
  many_bags_are_copied();
  many_jagged_rows_are_gathered();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
  very_long_rows_are_summed_too();
}
