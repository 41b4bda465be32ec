#include "ops/embedding_update.h"

#include <algorithm>

#include "index/segments.h"
#include "ops/stable_sort.h"

namespace pinwheel {
namespace {

FloatDtype float_dtype(const char* op, const Tensor& tensor, const char* name) {
  switch (tensor.scalar_type()) {
    case ScalarType::Float:
      return FloatDtype::kFloat32;
    case ScalarType::Half:
      return FloatDtype::kFloat16;
    case ScalarType::BFloat16:
      return FloatDtype::kBFloat16;
    default:
      fail(op, "`", name, "` must hold float32, float16 or bfloat16, not ",
           torch::headeronly::toString(tensor.scalar_type()));
  }
}

Tensor dense(const Tensor& tensor) {
  return tensor.is_contiguous() ? tensor : torch::stable::contiguous(tensor);
}

/// A list of numbers on the device of `weights`.
void require_list(const UpdateArguments& a, const Tensor& tensor, const char* name) {
  require(tensor.dim() == 1, a.op, "`", name, "` must be 1-D, its shape is ", shape_text(tensor));
  require_same_device(a.op, a.grad, tensor, name);
}

void require_int64(const UpdateArguments& a, const Tensor& tensor, const char* name) {
  require(tensor.scalar_type() == ScalarType::Long, a.op, "`", name, "` must hold int64, not ",
          torch::headeronly::toString(tensor.scalar_type()));
}

void check_lists(const UpdateArguments& a) {
  require_list(a, a.weights, "weights");
  require(a.weights.is_contiguous(), a.op, "`weights` must be contiguous, it is changed in place");
  require_list(a, a.D_offsets, "D_offsets");
  require_index_dtype(a.op, a.D_offsets, "D_offsets");
  require(a.D_offsets.numel() >= 2, a.op,
          "`D_offsets` must hold one number more than there are tables, and there must be a table");
  require_list(a, a.weights_offsets, "weights_offsets");
  require_int64(a, a.weights_offsets, "weights_offsets");
  require(a.weights_offsets.numel() == a.tables(), a.op, "`D_offsets` tells of ", a.tables(),
          " tables but `weights_offsets` of ", a.weights_offsets.numel());
  require_list(a, a.hash_size_cumsum, "hash_size_cumsum");
  require_int64(a, a.hash_size_cumsum, "hash_size_cumsum");
  require(a.hash_size_cumsum.numel() == a.tables() + 1, a.op, "`hash_size_cumsum` must hold ",
          a.tables() + 1, " numbers, it holds ", a.hash_size_cumsum.numel());
  require_list(a, a.indices, "indices");
  require_index_dtype(a.op, a.indices, "indices");
  require_list(a, a.offsets, "offsets");
  require(a.offsets.scalar_type() == a.indices.scalar_type(), a.op,
          "`indices` and `offsets` must have one dtype");
  require(a.offsets.numel() >= 1 && (a.offsets.numel() - 1) % a.tables() == 0, a.op,
          "`offsets` must hold one number more than a multiple of the ", a.tables(),
          " tables, it holds ", a.offsets.numel());
}

void check_modes(const UpdateArguments& a) {
  require(a.pooling_mode >= 0 && a.pooling_mode <= 2, a.op,
          "`pooling_mode` must be 0 (sum), 1 (mean) or 2 (none), not ", a.pooling_mode);
  require(a.weight_decay_mode >= 0 && a.weight_decay_mode <= 2, a.op,
          "`weight_decay_mode` must be 0 (none), 1 (L2) or 2 (decoupled), not ",
          a.weight_decay_mode);
  require(a.max_norm >= 0, a.op, "`max_norm` must not be negative, it is ", a.max_norm);
}

void check_gradient(const UpdateArguments& a) {
  require(a.grad.dim() == 2, a.op, "`grad` must be 2-D, its shape is ", shape_text(a.grad));
  float_dtype(a.op, a.grad, "grad");
  float_dtype(a.op, a.weights, "weights");
  const int64_t rows = a.pooled() ? a.batch() : a.indices.numel();
  require(a.grad.size(0) == rows, a.op, "`grad` must have ", rows, " rows, its shape is ",
          shape_text(a.grad));
  constexpr int64_t kMostRows = int64_t{1} << 32;
  require(!a.grad.is_cpu() || rows < kMostRows, a.op, "`grad` has more than 2^32 - 1 rows");
  if (!a.indice_weights) return;
  require(a.pooled(), a.op, "`indice_weights` need pooling: `pooling_mode` 0 or 1");
  require_list(a, *a.indice_weights, "indice_weights");
  require(a.indice_weights->scalar_type() == ScalarType::Float, a.op,
          "`indice_weights` must hold float32, not ",
          torch::headeronly::toString(a.indice_weights->scalar_type()));
  require(a.indice_weights->numel() == a.indices.numel(), a.op, "there are ", a.indices.numel(),
          " indices but ", a.indice_weights->numel(), " `indice_weights`");
}

EmbeddingTables tables_of(const UpdateArguments& a) {
  EmbeddingTables tables;
  tables.weights_offsets = static_cast<const int64_t*>(a.weights_offsets.const_data_ptr());
  tables.hash_size_cumsum = static_cast<const int64_t*>(a.hash_size_cumsum.const_data_ptr());
  tables.D_offsets = a.D_offsets.const_data_ptr();
  tables.wide = a.D_offsets.scalar_type() == ScalarType::Long;
  tables.count = a.tables();
  tables.weights = a.weights.numel();
  tables.total_D = a.grad.size(1) * (a.pooled() ? 1 : a.tables());
  return tables;
}

void check_columns(const UpdateArguments& a, const EmbeddingTables& tables) {
  require(tables.column_at(0) == 0, a.op, "`D_offsets` must start with 0, not ",
          tables.column_at(0));
  for (int64_t t = 0; t < tables.count; ++t) {
    const int64_t columns = tables.column_at(t + 1) - tables.column_at(t);
    require(columns >= 0, a.op, "`D_offsets` decreases at ", t + 1);
    require(a.pooled() || columns == a.grad.size(1), a.op, "`grad` has ", a.grad.size(1),
            " columns but table ", t, " has ", columns);
  }
  require(tables.column_at(tables.count) == tables.total_D, a.op, "`grad` has ", a.grad.size(1),
          " columns but `D_offsets` ends at ", tables.column_at(tables.count));
}

/// Each row must be of one table only: rows are changed by several threads at once.
void check_apart(const UpdateArguments& a, const EmbeddingTables& tables) {
  std::vector<EmbeddingTable> used;
  for (int64_t t = 0; t < tables.count; ++t) {
    const EmbeddingTable table = tables.at(t);
    if (table.rows > 0 && table.columns > 0) used.push_back(table);
  }
  std::sort(used.begin(), used.end(), [](const EmbeddingTable& one, const EmbeddingTable& other) {
    return one.first < other.first;
  });
  for (size_t i = 1; i < used.size(); ++i) {
    const int64_t end = used[i - 1].first + used[i - 1].rows * used[i - 1].stride;
    require(used[i].first >= end, a.op, "the table that starts at element ", used[i].first,
            " of `weights` overlaps the one before it, which ends at ", end);
  }
}

void check_rows(const UpdateArguments& a, const EmbeddingTables& tables) {
  const int64_t* const rows = tables.hash_size_cumsum;
  require(rows[0] >= 0, a.op, "`hash_size_cumsum` starts with ", rows[0]);
  for (int64_t t = 0; t < tables.count; ++t) {
    require(rows[t + 1] >= rows[t], a.op, "`hash_size_cumsum` decreases at ", t + 1);
  }
  for (int64_t t = 0; t < tables.count; ++t) {
    const int64_t first = tables.weights_offsets[t];
    const bool inside = first >= 0 && first <= tables.weights;
    require(inside && tables.at(t).rows == rows[t + 1] - rows[t], a.op, "table ", t, " has ",
            rows[t + 1] - rows[t], " rows of ", tables.column_at(t + 1) - tables.column_at(t),
            " numbers from element ", first, " on, but `weights` holds ", tables.weights);
  }
}

void check_tables(const UpdateArguments& a) {
  const EmbeddingTables tables = tables_of(a);
  check_columns(a, tables);
  check_rows(a, tables);
  check_apart(a, tables);
}

template <class Index>
void check_offsets(const UpdateArguments& a) {
  const Index* const at = static_cast<const Index*>(a.offsets.const_data_ptr());
  const int64_t bags = a.offsets.numel() - 1;
  require(at[0] == 0, a.op, "`offsets` must start with 0, not ", at[0]);
  Index bad = 0;
  for (int64_t bag = 0; bag < bags; ++bag) bad |= static_cast<Index>(at[bag + 1] < at[bag]);
  if (bad != 0) {
    int64_t bag = 0;
    while (at[bag + 1] >= at[bag]) ++bag;
    fail(a.op, "`offsets` decreases at ", bag + 1, ", from ", at[bag], " to ", at[bag + 1]);
  }
  require(at[bags] == a.indices.numel(), a.op, "`offsets` ends at ", at[bags], " but there are ",
          a.indices.numel(), " indices");
}

}  // namespace

UpdateArguments checked(UpdateArguments a) {
  check_lists(a);
  check_modes(a);
  check_gradient(a);
  for (Tensor* const tensor :
       {&a.grad, &a.weights_offsets, &a.D_offsets, &a.hash_size_cumsum, &a.indices, &a.offsets}) {
    *tensor = dense(*tensor);
  }
  if (a.indice_weights) a.indice_weights = dense(*a.indice_weights);
  if (!a.grad.is_cpu()) return a;
  check_tables(a);
  with_index_type(a.offsets, [&](auto index) { check_offsets<decltype(index)>(a); });
  return a;
}

int64_t row_count(const UpdateArguments& a) {
  return static_cast<const int64_t*>(a.hash_size_cumsum.const_data_ptr())[a.tables()];
}

template <class Index>
EmbeddingUpdate<Index> job_of(const UpdateArguments& a) {
  EmbeddingUpdate<Index> job;
  job.rows.tables = tables_of(a);
  job.rows.grad_dtype = float_dtype(a.op, a.grad, "grad");
  job.rows.grad = a.grad.const_data_ptr();
  job.rows.grad_columns = a.grad.size(1);
  job.rows.pooled = a.pooled();
  job.rows.weights_dtype = float_dtype(a.op, a.weights, "weights");
  job.rows.weights = a.weights.mutable_data_ptr();
  job.bags.indices = static_cast<const Index*>(a.indices.const_data_ptr());
  job.bags.offsets = static_cast<const Index*>(a.offsets.const_data_ptr());
  job.bags.batch = a.batch();
  job.bags.count = a.offsets.numel() - 1;
  job.bags.positions = a.indices.numel();
  job.mean = a.pooling_mode == 1;
  if (a.indice_weights) {
    job.indice_weights = static_cast<const float*>(a.indice_weights->const_data_ptr());
  }
  return job;
}

template <class Index>
void fail_on_index(const UpdateArguments& a, const EmbeddingUpdate<Index>& job, int64_t position) {
  const int64_t bag = segment_of(job.bags.offsets, job.bags.count, position);
  const int64_t table = bag / job.bags.batch;
  fail(a.op, "`indices[", position, "]` is ", job.bags.indices[position], " but table ", table,
       " has ", job.rows.tables.at(table).rows, " rows");
}

#ifdef PINWHEEL_GPU
template <class Index>
SortedUpdate::SortedUpdate(const UpdateArguments& a, const EmbeddingUpdate<Index>& job,
                           int64_t momentum_rows)
    : stream_(current_stream(a.grad)) {
  const int64_t count = job.bags.positions;
  RowKeys& keys = rows_.of;
  const int64_t key_end = momentum_rows < 0 ? a.weights.numel() : momentum_rows;
  // Half the bytes, and half the work of sorting, where they do.
  keys.wide = key_end >= INT32_MAX;
  keys.momentum_rows = momentum_rows;
  const Tensor unsorted =
      empty_like_device(a.grad, {count}, keys.wide ? ScalarType::Long : ScalarType::Int);
  constexpr int64_t kShareBytes = sizeof(GradientShare);
  shares_ = empty_like_device(a.grad, {count * kShareBytes}, ScalarType::Byte);
  keys.keys = unsorted.mutable_data_ptr();
  keys.shares = static_cast<GradientShare*>(shares_.mutable_data_ptr());
  run_gpu(job, keys, stream_);

  const Sorted sorted = stable_sort(unsorted);
  keys_ = sorted.values;
  order_ = sorted.order;
  const int64_t capacity = partials_for(count, a.grad.size(1), a.grad.numel());
  partials_ = empty_like_device(a.grad, {capacity}, ScalarType::Float);
  plan_ = empty_like_device(a.grad, {kUpdatePlanNumbers}, ScalarType::Long);
  rows_.keys = keys_.const_data_ptr();
  rows_.order = static_cast<const int64_t*>(order_.const_data_ptr());
  rows_.count = count;
  rows_.partials = static_cast<float*>(partials_.mutable_data_ptr());
  rows_.capacity = capacity;
  rows_.plan = static_cast<int64_t*>(plan_.mutable_data_ptr());
}

template SortedUpdate::SortedUpdate(const UpdateArguments&, const EmbeddingUpdate<int32_t>&,
                                    int64_t);
template SortedUpdate::SortedUpdate(const UpdateArguments&, const EmbeddingUpdate<int64_t>&,
                                    int64_t);
#endif

template EmbeddingUpdate<int32_t> job_of(const UpdateArguments&);
template EmbeddingUpdate<int64_t> job_of(const UpdateArguments&);
template void fail_on_index(const UpdateArguments&, const EmbeddingUpdate<int32_t>&, int64_t);
template void fail_on_index(const UpdateArguments&, const EmbeddingUpdate<int64_t>&, int64_t);

}  // namespace pinwheel
