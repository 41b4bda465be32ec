#include "jobs/embedding_dense.h"

#include <algorithm>

#include "base/device.h"
#include "base/register.h"
#include "ops/stable_sort.h"
#include "ops/tbe_arguments.h"

namespace pinwheel {
namespace {

/// Fails unless `grad` has the shape of the result of the lookup.
void check_grad(const char* op, const Tensor& grad, const TbeInput& input) {
  require(grad.size(0) == input.out_sizes()[0] && grad.size(1) == input.out_columns, op,
          "`grad` must have the shape of the result, [", input.out_sizes()[0], ", ",
          input.out_columns, "], it has ", shape_text(grad));
}

/// The `total_D` of the forward operator.
int64_t total_D_of(const char* op, const Tensor& grad, const Tensor& weights_offsets,
                   int64_t pooling_mode) {
  require(grad.dim() == 2, op, "`grad` must be 2-D, got shape ", shape_text(grad));
  const bool pooled = pooling_mode != static_cast<int64_t>(Pooling::kNone);
  return pooled ? grad.size(1) : grad.size(1) * weights_offsets.numel();
}

/// On the CPU tables may be identical but must not overlap otherwise.
void check_overlaps(const char* op, const TbeInput& input) {
  if (!is_on_cpu(input.weights)) return;
  std::vector<TbeTable> tables;
  for (int64_t t = 0; t < input.tables.count; ++t) tables.push_back(input.tables.at(t));
  std::sort(tables.begin(), tables.end(), [](const TbeTable& a, const TbeTable& b) {
    return std::make_tuple(a.first, a.rows * a.columns, a.columns) <
           std::make_tuple(b.first, b.rows * b.columns, b.columns);
  });
  int64_t end = 0;
  const TbeTable* before = nullptr;
  for (const TbeTable& table : tables) {
    if (table.rows * table.columns == 0) continue;
    const bool repeated = before != nullptr && before->first == table.first &&
                          before->rows == table.rows && before->columns == table.columns;
    require(repeated || table.first >= end, op, "the table from element ", table.first,
            " of `weights` on partly overlaps another one");
    end = table.first + table.rows * table.columns;
    before = &table;
  }
}

Tensor zeros_like(const Tensor& like) {
  const std::vector<int64_t> sizes(like.sizes().begin(), like.sizes().end());
  return torch::stable::new_zeros(like, {sizes.data(), sizes.size()});
}

#ifdef PINWHEEL_GPU
template <class Index>
void run_sorted(const DenseGradientJob<Index>& job, const Tensor& weights) {
  const int64_t positions = job.bags.positions;
  const Tensor row = empty_like_device(weights, {positions}, ScalarType::Long);
  const Tensor source = empty_like_device(weights, {positions}, ScalarType::Long);
  const Tensor scale = empty_like_device(weights, {positions}, ScalarType::Float);
  OccurrencesJob<Index> occurrences;
  occurrences.of = job;
  occurrences.row = static_cast<int64_t*>(row.mutable_data_ptr());
  occurrences.source = static_cast<int64_t*>(source.mutable_data_ptr());
  occurrences.scale = static_cast<float*>(scale.mutable_data_ptr());
  const GpuStreamGuard guard(weights);
  run_gpu(occurrences, guard.stream());
  const Sorted sorted = stable_sort(row);
  SortedGradientJob<Index> gradient;
  gradient.of = job;
  gradient.row = static_cast<const int64_t*>(sorted.values.const_data_ptr());
  gradient.permutation = static_cast<const int64_t*>(sorted.order.const_data_ptr());
  gradient.source = occurrences.source;
  gradient.scale = occurrences.scale;
  run_gpu(gradient, guard.stream());
}
#endif

Tensor tbe_backward_dense(const Tensor& grad_in, const Tensor& weights,
                          const Tensor& weights_offsets, const Tensor& D_offsets,
                          const Tensor& hash_size_cumsum, const Tensor& indices,
                          const Tensor& offsets, int64_t pooling_mode,
                          const std::optional<Tensor>& indice_weights) {
  const char* const op = "tbe_backward_dense";
  const FloatDtype grad_dtype = float_dtype_of(op, grad_in, "grad");
  const FloatDtype dtype = float_dtype_of(op, weights, "weights");
  require_same_device(op, grad_in, weights, "weights");
  const int64_t total_D = total_D_of(op, grad_in, weights_offsets, pooling_mode);
  const TbeInput input =
      check_tbe(op, {weights, weights_offsets, D_offsets, total_D, hash_size_cumsum, indices,
                     offsets, pooling_mode, indice_weights});
  check_grad(op, grad_in, input);
  check_overlaps(op, input);
  const Tensor grad = torch::stable::contiguous(grad_in);
  const bool is_cpu = is_on_cpu(weights);
  const Tensor out = is_cpu ? empty_like_device(weights, {weights.numel()}, weights.scalar_type())
                            : zeros_like(input.weights);
  if (out.numel() == 0) return out;
  int64_t first_bad = -1;
  with_index_type(input.indices, [&](auto index) {
    DenseGradientJob<decltype(index)> job;
    job.tables = input.tables;
    job.bags = input.bags<decltype(index)>();
    job.pooling = input.pooling;
    job.grad_dtype = grad_dtype;
    job.out_dtype = dtype;
    job.grad = grad.const_data_ptr();
    job.grad_columns = input.out_columns;
    job.grad_elements = grad.numel();
    job.indice_weights = input.position_weights();
    job.out = out.mutable_data_ptr();
    job.first_bad = &first_bad;
    if (is_cpu) return run_cpu(job);
#ifdef PINWHEEL_GPU
    if (job.bags.positions > 0) run_sorted(job, input.weights);
#endif
  });
  if (first_bad >= 0) fail_at_position(op, input, first_bad);
  return out;
}

Tensor tbe_backward_indice_weights(const Tensor& grad_in, const Tensor& weights,
                                   const Tensor& weights_offsets, const Tensor& D_offsets,
                                   const Tensor& hash_size_cumsum, const Tensor& indices,
                                   const Tensor& offsets, int64_t pooling_mode) {
  const char* const op = "tbe_backward_indice_weights";
  const FloatDtype grad_dtype = float_dtype_of(op, grad_in, "grad");
  const FloatDtype dtype = float_dtype_of(op, weights, "weights");
  require_same_device(op, grad_in, weights, "weights");
  require(pooling_mode != static_cast<int64_t>(Pooling::kNone), op,
          "`indice_weights` require pooling");
  const int64_t total_D = total_D_of(op, grad_in, weights_offsets, pooling_mode);
  const TbeInput input = check_tbe(op, {weights,
                                        weights_offsets,
                                        D_offsets,
                                        total_D,
                                        hash_size_cumsum,
                                        indices,
                                        offsets,
                                        pooling_mode,
                                        {}});
  check_grad(op, grad_in, input);
  const Tensor grad = torch::stable::contiguous(grad_in);
  const int64_t positions = input.indices.numel();
  const Tensor out = is_on_cpu(weights)
                         ? empty_like_device(weights, {positions}, ScalarType::Float)
                         : torch::stable::new_zeros(weights, {&positions, 1}, ScalarType::Float);
  if (positions == 0) return out;
  int64_t first_bad = -1;
  with_index_type(input.indices, [&](auto index) {
    IndiceWeightsGradientJob<decltype(index)> job;
    job.tables = input.tables;
    job.bags = input.bags<decltype(index)>();
    job.pooling = input.pooling;
    job.grad_dtype = grad_dtype;
    job.weights_dtype = dtype;
    job.grad = grad.const_data_ptr();
    job.grad_columns = input.out_columns;
    job.weights = input.weights.const_data_ptr();
    job.out = static_cast<float*>(out.mutable_data_ptr());
    job.first_bad = &first_bad;
    run(job, input.weights);
  });
  if (first_bad >= 0) fail_at_position(op, input, first_bad);
  return out;
}

void define_schemas(Library& m) {
  m.def(
      "tbe_backward_dense(Tensor grad, Tensor weights, Tensor weights_offsets, Tensor D_offsets, "
      "Tensor hash_size_cumsum, Tensor indices, Tensor offsets, int pooling_mode, "
      "Tensor? indice_weights=None) -> Tensor");
  m.def(
      "tbe_backward_indice_weights(Tensor grad, Tensor weights, Tensor weights_offsets, "
      "Tensor D_offsets, Tensor hash_size_cumsum, Tensor indices, Tensor offsets, "
      "int pooling_mode) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("tbe_backward_dense", TORCH_BOX(&tbe_backward_dense));
  m.impl("tbe_backward_indice_weights", TORCH_BOX(&tbe_backward_indice_weights));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
