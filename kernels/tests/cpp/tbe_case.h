#pragma once

// Random tables and bags for the tests of the embedding kernels.

#include <cmath>
#include <random>
#include <vector>

#include "check.h"
#include "jobs/embedding.h"

using namespace pinwheel;

namespace {

std::mt19937 random_bits(1);

int64_t random_below(int64_t limit) {
  return static_cast<int64_t>(random_bits() % static_cast<uint64_t>(limit));
}

float random_number() {
  return static_cast<float>(random_below(2001) - 1000) / 1000.0f;
}

/// Tables and bags as vectors, and the views that jobs use.
template <class Index>
struct Case {
  std::vector<int64_t> weights_offsets;
  std::vector<int64_t> hash_size_cumsum = {0};
  std::vector<int32_t> D_offsets = {0};
  std::vector<Index> indices;
  std::vector<Index> offsets = {0};
  std::vector<float> indice_weights;
  int64_t batch = 0;
  TbeTables tables;
  TbeBags<Index> bags;

  Case(const std::vector<int64_t>& dims, int64_t batch_in, int64_t longest, int64_t extra = 0,
       int64_t alignment = 1)
      : batch(batch_in) {
    tables.row_extra = extra;
    tables.row_alignment = alignment;
    for (const int64_t columns : dims) {
      const int64_t rows = 1 + random_below(9);
      const int64_t stride = (columns + extra + alignment - 1) / alignment * alignment;
      weights_offsets.push_back(tables.weights);
      tables.weights += rows * stride;
      hash_size_cumsum.push_back(hash_size_cumsum.back() + rows);
      D_offsets.push_back(D_offsets.back() + static_cast<int32_t>(columns));
      for (int64_t b = 0; b < batch; ++b) {
        const int64_t length = random_below(longest + 1);
        for (int64_t i = 0; i < length; ++i)
          indices.push_back(static_cast<Index>(random_below(rows)));
        offsets.push_back(static_cast<Index>(indices.size()));
      }
    }
    for (size_t i = 0; i < indices.size(); ++i) indice_weights.push_back(random_number());
    view();
  }

  void view() {
    tables.weights_offsets = weights_offsets.data();
    tables.hash_size_cumsum = hash_size_cumsum.data();
    tables.D_offsets = D_offsets.data();
    tables.count = static_cast<int64_t>(weights_offsets.size());
    tables.total_D = D_offsets.back();
    bags.indices = indices.data();
    bags.offsets = offsets.data();
    bags.batch = batch;
    bags.count = tables.count * batch;
    bags.positions = static_cast<int64_t>(indices.size());
  }

  EmbeddingForwardJob<Index> job(const void* weights, Pooling pooling, bool weighted) {
    EmbeddingForwardJob<Index> job;
    job.tables = tables;
    job.bags = bags;
    job.pooling = pooling;
    job.weights = weights;
    job.indice_weights = weighted ? indice_weights.data() : nullptr;
    job.out_columns = pooling == Pooling::kNone && tables.count > 0 ? tables.total_D / tables.count
                                                                    : tables.total_D;
    return job;
  }
};

inline void check_close(const std::vector<float>& got, const std::vector<float>& expected,
                        float tolerance) {
  CHECK(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(std::fabs(got[i] - expected[i]) <= tolerance * (1 + std::fabs(expected[i])));
  }
}

}  // namespace
