// The GPU kernels of block_bucketize_sparse_features, run by the emulator and compared with the
// obvious loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/bucketize.cu"

#include <limits>
#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

using Random = std::mt19937;

/// Inputs and expected results.
template <class Index, class Length>
struct Example {
  int64_t ranks = 1;
  std::vector<int64_t> batches;
  std::vector<int64_t> block_sizes;
  std::vector<int64_t> blocks;
  std::vector<std::vector<int64_t>> bounds;
  std::vector<Length> lengths;
  std::vector<Index> indices;
  std::vector<uint16_t> weights;

  std::vector<Length> out_lengths;
  std::vector<Index> out_indices;
  std::vector<uint16_t> out_weights;
  std::vector<Index> positions;
  std::vector<Index> permute;
};

template <class Number>
std::vector<Number> sums_of(const std::vector<Number>& numbers) {
  std::vector<Number> sums = {0};
  for (const Number number : numbers) sums.push_back(sums.back() + number);
  return sums;
}

template <class Index, class Length>
std::vector<BucketFeature> prepare(const Example<Index, Length>& example) {
  const int64_t features = static_cast<int64_t>(example.batches.size());
  std::vector<BucketFeature> result(features);
  BucketFeaturesJob job;
  job.ranks = example.ranks;
  job.block_sizes = example.block_sizes.data();
  job.blocks = example.blocks.empty() ? nullptr : example.blocks.data();
  job.out = result.data();
  for (; job.first < features; job.first += job.count) {
    job.count = std::min<int64_t>(2, features - job.first);
    for (int64_t k = 0; k < job.count && !example.bounds.empty(); ++k) {
      job.bounds[k] = example.bounds[job.first + k].data();
      job.bound_counts[k] = static_cast<int64_t>(example.bounds[job.first + k].size());
    }
    run_gpu(job, nullptr);
  }
  return result;
}

/// Has guards after all results.
template <class Index, class Length>
void run_kernels(Example<Index, Length>& e) {
  const std::vector<BucketFeature> features = prepare(e);
  const std::vector<int64_t> starts = sums_of(e.batches);
  const std::vector<Length> offsets = sums_of(e.lengths);
  const size_t count = e.indices.size();
  e.out_lengths.assign(e.ranks * e.lengths.size() + 1, 77);
  for (auto* out : {&e.out_indices, &e.positions, &e.permute}) out->assign(count + 1, 77);
  e.out_weights.assign(count + 1, 77);
  BucketizeJob<Index, Length> job;
  job.features = features.data();
  job.feature_count = static_cast<int64_t>(features.size());
  job.ranks = e.ranks;
  bool equal = true;
  for (const int64_t batch : e.batches) equal = equal && batch == e.batches[0];
  job.bag_starts = equal ? nullptr : starts.data();
  if (equal && e.batches[0] > 0) job.batch = Divider(e.batches[0]);
  job.bags = static_cast<int64_t>(e.lengths.size());
  job.count = static_cast<int64_t>(count);
  job.lengths = e.lengths.data();
  job.indices = e.indices.data();
  job.weights = e.weights.data();
  job.weight_bytes = 2;
  job.out_lengths = e.out_lengths.data();
  job.out_indices = e.out_indices.data();
  job.out_weights = e.out_weights.data();
  job.out_positions = e.positions.data();
  job.out_permute = e.permute.data();
  job.offsets = offsets.data();
  run_gpu_counts(job, nullptr);
  CHECK(e.out_lengths.back() == 77);
  e.out_lengths.pop_back();
  std::vector<Length> out_offsets = sums_of(e.out_lengths);
  job.out_offsets = out_offsets.data();
  run_gpu_scatter(job, nullptr);
  for (auto* out : {&e.out_indices, &e.positions, &e.permute}) {
    CHECK(out->back() == 77);
    out->pop_back();
  }
  CHECK(e.out_weights.back() == 77);
}

template <class Index, class Length>
Bucketed by_division(const Example<Index, Length>& e, size_t t, uint64_t index) {
  const uint64_t ranks = e.ranks;
  const uint64_t blocks = e.blocks.empty() ? ranks : e.blocks[t];
  const uint64_t size = e.block_sizes[t];
  if (e.bounds.empty()) {
    const uint64_t per_rank = blocks / ranks;
    if (index < size * blocks) return {index / (size * per_rank), index % (size * per_rank)};
    return {index % blocks / per_rank, index / blocks};
  }
  const std::vector<int64_t>& bounds = e.bounds[t];
  const uint64_t row = size > 0 ? index : index % blocks * bounds.back() / blocks;
  uint64_t rank = 0;
  while (rank + 1 < bounds.size() && static_cast<uint64_t>(bounds[rank + 1]) <= row) ++rank;
  const bool inside = rank < ranks;
  const uint64_t in_rank = inside ? index - bounds[rank] : index / ranks;
  return {inside ? rank : index % ranks, size > 0 ? in_rank : index / blocks};
}

template <class Index, class Length>
void check_with_loops(const Example<Index, Length>& e) {
  using Unsigned = std::make_unsigned_t<Index>;
  size_t place = 0;
  for (int64_t rank = 0; rank < e.ranks; ++rank) {
    size_t bag = 0;
    size_t begin = 0;
    for (size_t t = 0; t < e.batches.size(); ++t) {
      for (int64_t b = 0; b < e.batches[t]; ++b, ++bag) {
        Length found = 0;
        for (Length k = 0; k < e.lengths[bag]; ++k) {
          const Bucketed to = by_division(e, t, static_cast<Unsigned>(e.indices[begin + k]));
          if (to.rank != static_cast<uint64_t>(rank)) continue;
          CHECK(e.out_indices[place] == static_cast<Index>(to.index));
          CHECK(e.out_weights[place] == e.weights[begin + k]);
          CHECK(e.positions[place] == static_cast<Index>(k));
          CHECK(e.permute[begin + k] == static_cast<Index>(place));
          ++place;
          ++found;
        }
        CHECK(e.out_lengths[rank * e.lengths.size() + bag] == found);
        begin += e.lengths[bag];
      }
    }
  }
  CHECK(place == e.indices.size());
}

template <class Index, class Length>
Example<Index, Length> random_example(Random& random) {
  Example<Index, Length> e;
  // More than the counters of short bags, or of all bags, have room for.
  e.ranks = std::vector<int64_t>{1, 2, 5, 8, 9, 70, 300}[random() % 7];
  const size_t features = 1 + random() % 5;
  const bool equal = random() % 2 == 0;
  const bool with_bounds = random() % 3 == 0;
  const int longest = std::vector<int>{3, 16, 90}[random() % 3];
  const int64_t batch = random() % 7;
  for (size_t t = 0; t < features; ++t) {
    e.batches.push_back(equal ? batch : random() % 7);
    e.block_sizes.push_back(std::vector<int64_t>{0, 1, 7, 40}[random() % 4]);
    if (!with_bounds) continue;
    std::vector<int64_t> bounds = {0};
    for (int64_t r = 0; r < e.ranks; ++r) bounds.push_back(bounds.back() + random() % 30);
    e.bounds.push_back(bounds);
  }
  if (random() % 2 == 0) {
    for (size_t t = 0; t < features; ++t) e.blocks.push_back(e.ranks * (1 + random() % 3));
  }
  for (int64_t bags = sums_of(e.batches).back(); bags > 0; --bags) {
    e.lengths.push_back(static_cast<Length>(random() % longest));
  }
  e.indices.resize(sums_of(e.lengths).back());
  e.weights.resize(e.indices.size());
  for (Index& index : e.indices) {
    const bool any = random() % 4 == 0;
    index = any ? static_cast<Index>(random() * 0x9e3779b97f4a7c15u)
                : static_cast<Index>(random() % 150);
  }
  for (uint16_t& weight : e.weights) weight = static_cast<uint16_t>(random());
  return e;
}

template <class Index, class Length>
void ranks_and_indices_match_loops() {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    Example<Index, Length> example = random_example<Index, Length>(random);
    run_kernels(example);
    check_with_loops(example);
  }
}

/// Invalid contents: nothing past the results is written, and what no bag covers is zero.
template <class Index, class Length>
void invalid_contents_are_harmless() {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    Example<Index, Length> e = random_example<Index, Length>(random);
    for (Length& length : e.lengths) {
      if (random() % 3 == 0) length = static_cast<Length>(random() % 200) - 100;
    }
    for (int64_t& size : e.block_sizes) size -= random() % 50;
    for (int64_t& blocks : e.blocks) blocks -= random() % 6;
    for (std::vector<int64_t>& bounds : e.bounds) {
      for (int64_t& bound : bounds) bound += static_cast<int64_t>(random() % 60) - 30;
    }
    run_kernels(e);
  }
  Example<Index, Length> shorter = random_example<Index, Length>(random);
  shorter.lengths.assign(shorter.lengths.size(), 0);
  run_kernels(shorter);
  for (const auto* out : {&shorter.out_indices, &shorter.positions, &shorter.permute}) {
    for (const Index index : *out) CHECK(index == 0);
  }
}

void everything() {
  ranks_and_indices_match_loops<int32_t, int32_t>();
  ranks_and_indices_match_loops<int32_t, int64_t>();
  ranks_and_indices_match_loops<int64_t, int32_t>();
  ranks_and_indices_match_loops<int64_t, int64_t>();
  invalid_contents_are_harmless<int32_t, int64_t>();
  invalid_contents_are_harmless<int64_t, int32_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
