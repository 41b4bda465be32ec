#include "ops/tbe_arguments.h"

#include "base/device.h"
#include "index/segments.h"

namespace pinwheel {
namespace {

// Messages are built only on failure: building one takes longer than a small lookup.

void require_1d(const char* op, const Tensor& tensor, const char* name) {
  if (tensor.dim() != 1) fail(op, "`", name, "` must be 1-D, got shape ", shape_text(tensor));
}

void require_numbers(const char* op, const Tensor& tensor, const char* name, int64_t numel) {
  if (tensor.dim() == 1 && tensor.numel() == numel) return;
  fail(op, "`", name, "` must be 1-D with ", numel, " elements, got shape ", shape_text(tensor));
}

void require_dtype(const char* op, const Tensor& tensor, const char* name, ScalarType dtype) {
  if (tensor.scalar_type() == dtype) return;
  fail(op, "`", name, "` must hold ", torch::headeronly::toString(dtype), ", not ",
       torch::headeronly::toString(tensor.scalar_type()));
}

/// Shapes, dtypes and devices.
void check_tensors(const char* op, const TbeArguments& a) {
  require_1d(op, a.weights, "weights");
  require_1d(op, a.weights_offsets, "weights_offsets");
  require_dtype(op, a.weights_offsets, "weights_offsets", ScalarType::Long);
  require_dtype(op, a.hash_size_cumsum, "hash_size_cumsum", ScalarType::Long);
  require_index_dtype(op, a.D_offsets, "D_offsets");
  require_index_dtype(op, a.indices, "indices");
  require(a.offsets.scalar_type() == a.indices.scalar_type(), op,
          "`indices` and `offsets` must have the same dtype");
  const int64_t tables = a.weights_offsets.numel();
  require_numbers(op, a.D_offsets, "D_offsets", tables + 1);
  require_numbers(op, a.hash_size_cumsum, "hash_size_cumsum", tables + 1);
  require_1d(op, a.indices, "indices");
  const int64_t bags = a.offsets.numel() - 1;
  if (a.offsets.dim() != 1 || bags < 0 || (tables == 0 ? bags != 0 : bags % tables != 0)) {
    fail(op, "`offsets` must be 1-D with one element more than a multiple of the ", tables,
         " tables, got shape ", shape_text(a.offsets));
  }
  require_same_device(op, a.weights, a.weights_offsets, "weights_offsets");
  require_same_device(op, a.weights, a.D_offsets, "D_offsets");
  require_same_device(op, a.weights, a.hash_size_cumsum, "hash_size_cumsum");
  require_same_device(op, a.weights, a.indices, "indices");
  require_same_device(op, a.weights, a.offsets, "offsets");
}

void check_options(const char* op, const TbeArguments& a) {
  require(a.pooling_mode >= 0 && a.pooling_mode <= 2, op,
          "`pooling_mode` must be 0 (sum), 1 (mean) or 2 (none), not ", a.pooling_mode);
  require(a.total_D >= 0, op, "`total_D` is negative: ", a.total_D);
  const int64_t tables = a.weights_offsets.numel();
  const bool pooled = a.pooling_mode != static_cast<int64_t>(Pooling::kNone);
  require(pooled || (tables == 0 ? a.total_D == 0 : a.total_D % tables == 0), op,
          "without pooling all tables must have the same number of columns, but `total_D` is ",
          a.total_D, " for ", tables, " tables");
  if (!a.indice_weights) return;
  require(pooled, op, "`indice_weights` require pooling");
  require_dtype(op, *a.indice_weights, "indice_weights", ScalarType::Float);
  require_numbers(op, *a.indice_weights, "indice_weights", a.indices.numel());
  require_same_device(op, a.weights, *a.indice_weights, "indice_weights");
}

/// Checks the contents that locate the tables; CPU only.
void check_tables(const char* op, const TbeInput& input) {
  const TbeTables& tables = input.tables;
  const int64_t count = tables.count;
  require(tables.column_at(0) == 0 && tables.column_at(count) == tables.total_D, op,
          "`D_offsets` must span 0 to `total_D`, which is ", tables.total_D, ", not from ",
          tables.column_at(0), " to ", tables.column_at(count));
  for (int64_t t = 0; t < count; ++t) {
    const int64_t columns = tables.column_at(t + 1) - tables.column_at(t);
    require(columns >= 0, op, "`D_offsets` decreases after table ", t);
    require(input.pooling != Pooling::kNone || columns == input.out_columns, op,
            "without pooling all tables must have the same number of columns, but table ", t,
            " has ", columns, " of ", tables.total_D);
    const TbeTable table = tables.at(t);
    const int64_t rows = tables.hash_size_cumsum[t + 1] - tables.hash_size_cumsum[t];
    require(rows >= 0, op, "`hash_size_cumsum` decreases after table ", t);
    require(table.rows == rows, op, "table ", t, " of ", rows, " rows of ", table.stride, " from ",
            tables.weights_offsets[t], " on does not fit in `weights`, which has ", tables.weights);
  }
}

/// Offsets must start at 0, never decrease and end at or before the number of positions.
template <class Index>
void check_offsets(const char* op, const TbeBags<Index>& bags) {
  const Index* const at = bags.offsets;
  require(at[0] == 0, op, "`offsets` must start with 0, not ", at[0]);
  Index bad = 0;
  for (int64_t bag = 0; bag < bags.count; ++bag) bad |= static_cast<Index>(at[bag + 1] < at[bag]);
  for (int64_t bag = 0; bad != 0 && bag < bags.count; ++bag) {
    require(at[bag + 1] >= at[bag], op, "`offsets` decreases from ", at[bag], " to ", at[bag + 1],
            " at position ", bag + 1);
  }
  require(at[bags.count] <= bags.positions, op, "`offsets` ends at ", at[bags.count],
          " but there are only ", bags.positions, " indices");
}

}  // namespace

TbeInput check_tbe(const char* op, const TbeArguments& a) {
  check_tensors(op, a);
  check_options(op, a);
  TbeInput input;
  input.weights = as_contiguous(a.weights);
  input.weights_offsets = as_contiguous(a.weights_offsets);
  input.D_offsets = as_contiguous(a.D_offsets);
  input.hash_size_cumsum = as_contiguous(a.hash_size_cumsum);
  input.indices = as_contiguous(a.indices);
  input.offsets = as_contiguous(a.offsets);
  if (a.indice_weights) input.indice_weights = as_contiguous(*a.indice_weights);
  input.pooling = static_cast<Pooling>(a.pooling_mode);
  TbeTables& tables = input.tables;
  tables.weights_offsets = static_cast<const int64_t*>(input.weights_offsets.const_data_ptr());
  tables.hash_size_cumsum = static_cast<const int64_t*>(input.hash_size_cumsum.const_data_ptr());
  tables.D_offsets = input.D_offsets.const_data_ptr();
  tables.wide = input.D_offsets.scalar_type() == ScalarType::Long;
  tables.count = input.weights_offsets.numel();
  tables.weights = input.weights.numel();
  tables.total_D = a.total_D;
  tables.row_extra = a.row_extra;
  tables.row_alignment = a.row_alignment;
  if (tables.count > 0) input.batch = (input.offsets.numel() - 1) / tables.count;
  input.out_columns =
      input.pooling == Pooling::kNone && tables.count > 0 ? a.total_D / tables.count : a.total_D;
  if (!is_on_cpu(input.weights)) return input;
  check_tables(op, input);
  with_index_type(input.indices,
                  [&](auto index) { check_offsets(op, input.bags<decltype(index)>()); });
  return input;
}

void fail_at_position(const char* op, const TbeInput& input, int64_t position) {
  with_index_type(input.indices, [&](auto index) {
    const auto bags = input.bags<decltype(index)>();
    const int64_t bag = segment_of(bags.offsets, bags.count, position);
    const int64_t t = bag / bags.batch;
    fail(op, "`indices[", position, "]` is ", bags.indices[position], " but table ", t, " has ",
         input.tables.at(t).rows, " rows (sample ", bag % bags.batch, ")");
  });
  fail(op, "an index is out of range for its table");
}

}  // namespace pinwheel
