#pragma once

// The arguments that the embedding operators have in common: tables, bags and their weights.

#include <optional>

#include "base/tensors.h"
#include "jobs/embedding.h"
#include "ops/float_dtype.h"
#include "ops/run.h"

namespace pinwheel {

/// The raw arguments, for check_tbe.
struct TbeArguments {
  const Tensor& weights;
  const Tensor& weights_offsets;
  const Tensor& D_offsets;
  int64_t total_D;
  const Tensor& hash_size_cumsum;
  const Tensor& indices;
  const Tensor& offsets;
  int64_t pooling_mode;
  const std::optional<Tensor>& indice_weights;
  /// What a row of `weights` has besides its columns; see TbeTables.
  int64_t row_extra = 0;
  int64_t row_alignment = 1;
};

/// The arguments, checked and contiguous.
struct TbeInput {
  Tensor weights;
  Tensor weights_offsets;
  Tensor D_offsets;
  Tensor hash_size_cumsum;
  Tensor indices;
  Tensor offsets;
  std::optional<Tensor> indice_weights;
  Pooling pooling = Pooling::kSum;
  TbeTables tables;
  int64_t batch = 0;
  /// Columns of a row of the result.
  int64_t out_columns = 0;

  template <class Index>
  TbeBags<Index> bags() const {
    TbeBags<Index> bags;
    bags.indices = static_cast<const Index*>(indices.const_data_ptr());
    bags.offsets = static_cast<const Index*>(offsets.const_data_ptr());
    bags.batch = batch;
    bags.count = tables.count * batch;
    bags.positions = indices.numel();
    return bags;
  }

  const float* position_weights() const {
    return indice_weights ? static_cast<const float*>(indice_weights->const_data_ptr()) : nullptr;
  }

  /// The shape of the pooled result, or of the rows without pooling.
  std::vector<int64_t> out_sizes() const {
    return {pooling == Pooling::kNone ? indices.numel() : batch, out_columns};
  }
};

/// Fails on wrong shapes, dtypes and devices, and on the CPU also on out-of-range tables and
/// offsets. Indices are checked by the loops that read them anyway.
TbeInput check_tbe(const char* op, const TbeArguments& arguments);

/// Fails with a message that names the table, the bag and the position of an out-of-range index.
[[noreturn]] void fail_at_position(const char* op, const TbeInput& input, int64_t position);

/// Allocates the result of a lookup and fills it; fails on the CPU if an index is out of range.
/// `of_lookup` turns an EmbeddingForwardJob into the job to run.
template <class OfLookup>
Tensor look_up(const char* op, const TbeInput& input, int64_t output_dtype,
               const OfLookup& of_lookup) {
  const OutputDtype dtype = output_dtype_of(op, output_dtype);
  const Tensor out = empty_like_device(input.weights, input.out_sizes(), dtype.scalar);
  int64_t first_bad = -1;
  with_index_type(input.indices, [&](auto index) {
    EmbeddingForwardJob<decltype(index)> job;
    job.tables = input.tables;
    job.bags = input.bags<decltype(index)>();
    job.pooling = input.pooling;
    job.out_dtype = dtype.number;
    job.weights = input.weights.const_data_ptr();
    job.indice_weights = input.position_weights();
    job.out = out.mutable_data_ptr();
    job.out_columns = input.out_columns;
    job.first_bad = &first_bad;
    run(of_lookup(job), input.weights);
  });
  if (first_bad >= 0) fail_at_position(op, input, first_bad);
  return out;
}

}  // namespace pinwheel
