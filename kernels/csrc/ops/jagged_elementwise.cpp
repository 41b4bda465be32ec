#include "jobs/jagged_elementwise.h"

#include <tuple>

#include "base/register.h"
#include "ops/jagged_offsets.h"
#include "ops/real_dtype.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

/// A jagged tensor and a dense one of matching shapes, contiguous.
struct Operands {
  RealDtype dtype = RealDtype::kFloat32;
  Tensor values;
  Tensor dense;
  Jagged jagged;
  int64_t row_elements = 1;
};

Operands check_operands(const char* op, const Tensor& values, const std::vector<Tensor>& offsets,
                        const Tensor& dense) {
  require(values.dim() == 1 || values.dim() == 2, op, "`x_values` must be 1-D or 2-D, got shape ",
          shape_text(values));
  Operands operands;
  operands.dtype = real_dtype(op, "x_values", values);
  require_same_dtype(op, values, dense, "y");
  require_same_device(op, values, dense, "y");
  operands.values = as_contiguous(values);
  operands.dense = as_contiguous(dense);
  operands.jagged =
      check_jagged_dense(op, "x_offsets", "y", operands.dense, offsets, values.size(0));
  const int64_t extra = dense.dim() - static_cast<int64_t>(offsets.size()) - 1;
  require(extra == values.dim() - 1, op, "rows of `x_values`, ", shape_text(values),
          ", and of `y`, ", shape_text(dense), ", differ");
  if (extra == 0) return operands;
  operands.row_elements = values.size(1);
  require(dense.size(dense.dim() - 1) == values.size(1), op, "rows of `x_values`, ",
          shape_text(values), ", and of `y`, ", shape_text(dense), ", differ");
  return operands;
}

Tensor to_jagged(Combine combine, const Operands& operands) {
  const std::vector<int64_t> sizes(operands.values.sizes().begin(), operands.values.sizes().end());
  const Tensor out = empty_like_device(operands.values, sizes, operands.values.scalar_type());
  if (out.numel() == 0) return out;
  with_index_type(operands.jagged.offsets[0], [&](auto index) {
    CombineToJaggedJob<decltype(index)> job;
    job.jagged = operands.jagged.view<decltype(index)>();
    job.dtype = operands.dtype;
    job.combine = combine;
    job.values = operands.values.const_data_ptr();
    job.dense = operands.dense.const_data_ptr();
    job.out = out.mutable_data_ptr();
    job.row_elements = operands.row_elements;
    run(job, out);
  });
  return out;
}

/// `other` is the dense form to add to, or the values to multiply with.
Tensor to_dense(Combine combine, const Operands& operands, const Tensor& other) {
  const std::vector<int64_t> sizes(operands.dense.sizes().begin(), operands.dense.sizes().end());
  const Tensor out = empty_like_device(operands.dense, sizes, operands.dense.scalar_type());
  if (out.numel() == 0) return out;
  with_index_type(operands.jagged.offsets[0], [&](auto index) {
    CombineToDenseJob<decltype(index)> job;
    job.jagged = operands.jagged.view<decltype(index)>();
    job.dtype = operands.dtype;
    job.combine = combine;
    job.values = operands.values.const_data_ptr();
    job.other = other.const_data_ptr();
    job.out = out.mutable_data_ptr();
    job.row_elements = operands.row_elements;
    job.dense_rows = product(operands.jagged.dense_sizes());
    run(job, out);
  });
  return out;
}

Tensor add_jagged_output(const Tensor& x_values, const std::vector<Tensor>& x_offsets,
                         const Tensor& y) {
  const char* const op = "jagged_dense_elementwise_add_jagged_output";
  return to_jagged(Combine::kAdd, check_operands(op, x_values, x_offsets, y));
}

Tensor add(const Tensor& x_values, const std::vector<Tensor>& x_offsets, const Tensor& y) {
  const Operands operands = check_operands("jagged_dense_elementwise_add", x_values, x_offsets, y);
  return to_dense(Combine::kAdd, operands, operands.dense);
}

Tensor multiply(const Tensor& x_values, const std::vector<Tensor>& x_offsets, const Tensor& y) {
  const char* const op = "jagged_dense_elementwise_mul";
  return to_jagged(Combine::kMultiply, check_operands(op, x_values, x_offsets, y));
}

std::tuple<Tensor, Tensor> multiply_backward(const Tensor& grad_output,
                                             const std::vector<Tensor>& x_offsets, const Tensor& y,
                                             const Tensor& x_values) {
  const char* const op = "jagged_dense_elementwise_mul_backward";
  const Operands operands = check_operands(op, x_values, x_offsets, y);
  require_same_dtype(op, x_values, grad_output, "grad_output");
  require_same_device(op, x_values, grad_output, "grad_output");
  require(grad_output.dim() == x_values.dim() && grad_output.size(0) == x_values.size(0) &&
              grad_output.numel() == x_values.numel(),
          op, "`grad_output` must have the shape of `x_values`, ", shape_text(x_values),
          ", got shape ", shape_text(grad_output));
  Operands gradient = operands;
  gradient.values = as_contiguous(grad_output);
  return {to_jagged(Combine::kMultiply, gradient),
          to_dense(Combine::kMultiply, operands, gradient.values)};
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace. Those that
// return the offsets unchanged are implemented in Python, on top of the others.
void define_schemas(Library& m) {
  m.def(
      "jagged_dense_elementwise_add_jagged_output(Tensor x_values, Tensor[] x_offsets, Tensor y) "
      "-> (Tensor, Tensor[])");
  m.def(
      "jagged_dense_elementwise_add_jagged_output_forward(Tensor x_values, Tensor[] x_offsets, "
      "Tensor y) -> Tensor");
  m.def("jagged_dense_elementwise_add(Tensor x_values, Tensor[] x_offsets, Tensor y) -> Tensor");
  m.def(
      "jagged_dense_elementwise_mul(Tensor x_values, Tensor[] x_offsets, Tensor y) "
      "-> (Tensor, Tensor[])");
  m.def(
      "jagged_dense_elementwise_mul_forward(Tensor x_values, Tensor[] x_offsets, Tensor y) "
      "-> Tensor");
  m.def(
      "jagged_dense_elementwise_mul_backward(Tensor grad_output, Tensor[] x_offsets, Tensor y, "
      "Tensor x_values) -> (Tensor, Tensor)");
}

void register_kernels(Library& m) {
  m.impl("jagged_dense_elementwise_add_jagged_output_forward", TORCH_BOX(&add_jagged_output));
  m.impl("jagged_dense_elementwise_add", TORCH_BOX(&add));
  m.impl("jagged_dense_elementwise_mul_forward", TORCH_BOX(&multiply));
  m.impl("jagged_dense_elementwise_mul_backward", TORCH_BOX(&multiply_backward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
