#include "jobs/jagged.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/register.h"
#include "ops/jagged_offsets.h"
#include "ops/padding.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

/// 1-D `values` have rows of one element and a dense form without the last dimension.
Tensor to_dense(const char* op, const Tensor& values_in, const std::vector<Tensor>& offsets,
                const std::vector<int64_t>& max_lengths, double padding_value) {
  require(values_in.dim() == 1 || values_in.dim() == 2, op,
          "`values` must be 1-D or 2-D, got shape ", shape_text(values_in));
  const Tensor values = as_contiguous(values_in);
  const Jagged jagged = check_jagged(op, "offsets", values, offsets, max_lengths, values.size(0));
  std::vector<int64_t> sizes = jagged.dense_sizes();
  const int64_t row_elements = values.dim() == 2 ? values.size(1) : 1;
  if (values.dim() == 2) sizes.push_back(row_elements);
  unsigned char pattern[16];
  fill_pattern(op, "values", values.scalar_type(), padding_value, pattern);
  const Tensor dense = empty_like_device(values, sizes, values.scalar_type());
  if (dense.numel() == 0) return dense;
  with_index_type(offsets[0], [&](auto index) {
    JaggedToDenseJob<decltype(index)> job;
    job.jagged = jagged.view<decltype(index)>();
    job.values = values.const_data_ptr();
    job.dense = dense.mutable_data_ptr();
    job.row_bytes = row_elements * static_cast<int64_t>(values.element_size());
    job.dense_rows = dense.numel() / row_elements;
    std::memcpy(job.padding, pattern, sizeof(pattern));
    run(job, values);
  });
  return dense;
}

Tensor jagged_to_padded_dense(const Tensor& values, const std::vector<Tensor>& offsets,
                              const std::vector<int64_t>& max_lengths, double padding_value) {
  return to_dense("jagged_to_padded_dense", values, offsets, max_lengths, padding_value);
}

Tensor forward(const Tensor& values, const std::vector<Tensor>& offsets,
               const std::vector<int64_t>& max_lengths, double padding_value) {
  return to_dense("jagged_to_padded_dense_forward", values, offsets, max_lengths, padding_value);
}

/// Gathers the rows of a dense form that have a value row; value rows outside the dense form become
/// zero.
Tensor to_values(const char* op, const char* name, const char* dense_name, const Tensor& dense_in,
                 const std::vector<Tensor>& offsets, int64_t total_L) {
  require(total_L >= 0, op, "`total_L` is negative: ", total_L);
  const Tensor dense = as_contiguous(dense_in);
  const Jagged jagged = check_jagged_dense(op, name, dense_name, dense, offsets, total_L);
  const bool has_row = dense.dim() == static_cast<int64_t>(offsets.size()) + 2;
  std::vector<int64_t> sizes = {total_L};
  if (has_row) sizes.push_back(dense.size(dense.dim() - 1));
  const Tensor values = empty_like_device(dense, sizes, dense.scalar_type());
  if (values.numel() == 0) return values;
  with_index_type(offsets[0], [&](auto index) {
    DenseToJaggedJob<decltype(index)> job;
    job.jagged = jagged.view<decltype(index)>();
    job.dense = dense.const_data_ptr();
    job.values = values.mutable_data_ptr();
    job.row_bytes = (has_row ? sizes[1] : 1) * static_cast<int64_t>(dense.element_size());
    run(job, dense);
  });
  return values;
}

Tensor backward(const Tensor& grad_output, const std::vector<Tensor>& offsets, int64_t total_L) {
  return to_values("jagged_to_padded_dense_backward", "offsets", "grad_output", grad_output,
                   offsets, total_L);
}

Tensor dense_to_jagged(const Tensor& dense, const std::vector<Tensor>& x_offsets,
                       std::optional<int64_t> total_L) {
  const char* const op = "dense_to_jagged";
  if (!total_L) {
    require(!x_offsets.empty() && x_offsets.back().dim() == 1 && x_offsets.back().numel() > 0, op,
            "`x_offsets` must list 1 to 5 1-D tensors with at least one element");
    require_index_dtype(op, x_offsets.back(), "x_offsets");
    total_L = std::max<int64_t>(0, last_number(x_offsets.back()));
  }
  return to_values(op, "x_offsets", "dense", dense, x_offsets, *total_L);
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "jagged_to_padded_dense(Tensor values, Tensor[] offsets, SymInt[] max_lengths, "
      "float padding_value=0) -> Tensor");
  m.def(
      "jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, "
      "float padding_value=0) -> Tensor");
  m.def(
      "jagged_to_padded_dense_backward(Tensor grad_output, Tensor[] offsets, SymInt total_L) "
      "-> Tensor");
  m.def(
      "dense_to_jagged_forward(Tensor dense, Tensor[] x_offsets, SymInt? total_L=None) -> Tensor");
  // Returns the offsets unchanged: implemented in Python, on top of the one above.
  m.def(
      "dense_to_jagged(Tensor dense, Tensor[] x_offsets, SymInt? total_L=None) "
      "-> (Tensor, Tensor[])");
}

void register_kernels(Library& m) {
  m.impl("jagged_to_padded_dense", TORCH_BOX(&jagged_to_padded_dense));
  m.impl("jagged_to_padded_dense_forward", TORCH_BOX(&forward));
  m.impl("jagged_to_padded_dense_backward", TORCH_BOX(&backward));
  m.impl("dense_to_jagged_forward", TORCH_BOX(&dense_to_jagged));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
