#include "ops/embedding_update.h"

#include <algorithm>

#include "ops/stable_sort.h"

namespace pinwheel {
namespace {

void check_options(const char* op, const UpdateOptions& options) {
  const int64_t mode = options.weight_decay_mode;
  require(mode >= 0 && mode <= 2, op,
          "`weight_decay_mode` must be 0 (none), 1 (L2) or 2 (decoupled), not ", mode);
  require(options.max_norm >= 0, op, "`max_norm` must not be negative, it is ", options.max_norm);
}

void check_gradient(const UpdateInput& input) {
  const Tensor& grad = input.grad;
  float_dtype_of(input.op, grad, "grad");
  float_dtype_of(input.op, input.tbe.weights, "weights");
  require_same_device(input.op, input.tbe.weights, grad, "grad");
  const std::vector<int64_t> sizes = input.tbe.out_sizes();
  if (grad.size(0) != sizes[0] || grad.size(1) != sizes[1]) {
    fail(input.op, "`grad` must have the shape of the result, [", sizes[0], ", ", sizes[1],
         "], it has ", shape_text(grad));
  }
  constexpr int64_t kMostRows = int64_t{1} << 32;
  require(!is_on_cpu(grad) || sizes[0] < kMostRows, input.op, "`grad` has more than 2^32 - 1 rows");
}

/// Each row must belong to one table only: threads update rows concurrently, and each row once.
void check_apart(const UpdateInput& input) {
  std::vector<TbeTable> used;
  for (int64_t t = 0; t < input.tbe.tables.count; ++t) {
    const TbeTable table = input.tbe.tables.at(t);
    if (table.rows > 0 && table.columns > 0) used.push_back(table);
  }
  std::sort(used.begin(), used.end(),
            [](const TbeTable& one, const TbeTable& other) { return one.first < other.first; });
  for (size_t i = 1; i < used.size(); ++i) {
    const int64_t end = used[i - 1].first + used[i - 1].rows * used[i - 1].stride;
    require(used[i].first >= end, input.op, "the table that starts at element ", used[i].first,
            " of `weights` overlaps the one before it, which ends at ", end);
  }
}

}  // namespace

UpdateInput check_update(const char* op, const Tensor& grad, TbeArguments arguments,
                         const UpdateOptions& options) {
  if (grad.dim() != 2) fail(op, "`grad` must be 2-D, got shape ", shape_text(grad));
  require(arguments.weights.is_contiguous(), op,
          "`weights` must be contiguous, because it is modified in place");
  check_options(op, options);
  const bool pooled = arguments.pooling_mode != static_cast<int64_t>(Pooling::kNone);
  arguments.total_D = grad.size(1) * (pooled ? 1 : arguments.weights_offsets.numel());
  UpdateInput input;
  input.op = op;
  input.grad = grad;
  input.tbe = check_tbe(op, arguments);
  check_gradient(input);
  if (!grad.is_contiguous()) input.grad = torch::stable::contiguous(grad);
  if (is_on_cpu(grad)) check_apart(input);
  return input;
}

template <class Index>
EmbeddingUpdate<Index> job_of(const UpdateInput& input) {
  EmbeddingUpdate<Index> job;
  job.rows.tables = input.tbe.tables;
  job.rows.grad_dtype = float_dtype_of(input.op, input.grad, "grad");
  job.rows.grad = input.grad.const_data_ptr();
  job.rows.grad_columns = input.grad.size(1);
  job.rows.pooled = input.pooled();
  job.rows.weights_dtype = float_dtype_of(input.op, input.tbe.weights, "weights");
  job.rows.weights = input.tbe.weights.mutable_data_ptr();
  job.bags = input.tbe.bags<Index>();
  job.mean = input.tbe.pooling == Pooling::kMean;
  job.indice_weights = input.tbe.position_weights();
  return job;
}

#ifdef PINWHEEL_GPU
template <class Index>
SortedUpdate::SortedUpdate(const UpdateInput& input, const EmbeddingUpdate<Index>& job,
                           int64_t momentum_rows, void* stream) {
  const int64_t count = job.bags.positions;
  RowKeys& keys = rows_.of;
  const int64_t key_end = momentum_rows < 0 ? input.tbe.weights.numel() : momentum_rows;
  // If keys fit int32, sorting moves half the bytes and takes half the passes.
  keys.wide = key_end >= INT32_MAX;
  keys.momentum_rows = momentum_rows;
  const Tensor unsorted =
      empty_like_device(input.grad, {count}, keys.wide ? ScalarType::Long : ScalarType::Int);
  constexpr int64_t kShareBytes = sizeof(GradientShare);
  shares_ = empty_like_device(input.grad, {count * kShareBytes}, ScalarType::Byte);
  keys.keys = unsorted.mutable_data_ptr();
  keys.shares = static_cast<GradientShare*>(shares_.mutable_data_ptr());
  run_gpu(job, keys, stream);

  const Sorted sorted = stable_sort(unsorted);
  keys_ = sorted.values;
  order_ = sorted.order;
  const int64_t capacity = partials_for(count, input.tbe.out_columns, input.grad.numel());
  partials_ = empty_like_device(input.grad, {capacity}, ScalarType::Float);
  plan_ = empty_like_device(input.grad, {kUpdatePlanNumbers}, ScalarType::Long);
  rows_.keys = keys_.const_data_ptr();
  rows_.order = static_cast<const int64_t*>(order_.const_data_ptr());
  rows_.count = count;
  rows_.partials = static_cast<float*>(partials_.mutable_data_ptr());
  rows_.capacity = capacity;
  rows_.plan = static_cast<int64_t*>(plan_.mutable_data_ptr());
}

template SortedUpdate::SortedUpdate(const UpdateInput&, const EmbeddingUpdate<int32_t>&, int64_t,
                                    void*);
template SortedUpdate::SortedUpdate(const UpdateInput&, const EmbeddingUpdate<int64_t>&, int64_t,
                                    void*);
#endif

template EmbeddingUpdate<int32_t> job_of(const UpdateInput&);
template EmbeddingUpdate<int64_t> job_of(const UpdateInput&);

}  // namespace pinwheel
