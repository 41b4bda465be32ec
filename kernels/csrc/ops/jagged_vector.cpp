#include "jobs/jagged_vector.h"

#include <tuple>

#include "base/register.h"
#include "ops/jagged_offsets.h"
#include "ops/real_dtype.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

/// Vectors and jagged values of matching shapes, contiguous.
struct Operands {
  Tensor v;
  Tensor values;
  Jagged jagged;
  RealDtype dtype = RealDtype::kFloat32;
  int64_t heads = 1;
  int64_t columns = 0;

  template <class Index>
  JaggedVectorShape<Index> shape() const {
    JaggedVectorShape<Index> shape;
    shape.jagged = jagged.view<Index>();
    shape.dtype = dtype;
    shape.heads = heads;
    shape.columns = columns;
    return shape;
  }
};

Operands check_operands(const char* op, const Tensor& v, const Tensor& a_values,
                        const Tensor& a_offsets) {
  require(v.dim() == 2, op, "`v` must be 2-D, got shape ", shape_text(v));
  require(a_values.dim() == 2, op, "`a_values` must be 2-D, got shape ", shape_text(a_values));
  Operands operands;
  operands.dtype = real_dtype(op, "v", v);
  require_same_dtype(op, v, a_values, "a_values");
  require_same_device(op, v, a_values, "a_values");
  operands.v = as_contiguous(v);
  operands.values = as_contiguous(a_values);
  operands.jagged = check_jagged(op, "a_offsets", v, {a_offsets}, {v.size(1)}, a_values.size(0));
  const int64_t groups = operands.jagged.groups();
  require(groups == 0 ? v.size(0) == 0 : v.size(0) % groups == 0, op, "`v` has ", v.size(0),
          " rows, which is not a multiple of the ", groups, " groups of `a_offsets`");
  // Without groups the number of heads is unknown; without vectors there are no heads.
  operands.heads = groups == 0 ? 1 : v.size(0) / groups;
  const int64_t width = a_values.size(1);
  require(operands.heads > 0 ? width % operands.heads == 0 : width == 0, op, "rows of `a_values`, ",
          shape_text(a_values), ", cannot be divided among ", operands.heads, " heads");
  operands.columns = operands.heads > 0 ? width / operands.heads : 0;
  return operands;
}

Tensor multiply(const Tensor& v, const Tensor& a_values, const Tensor& a_offsets) {
  const Operands operands =
      check_operands("batched_dense_vec_jagged_2d_mul", v, a_values, a_offsets);
  const Tensor out = empty_like_device(v, {v.size(0), operands.columns}, v.scalar_type());
  if (out.numel() == 0) return out;
  with_index_type(a_offsets, [&](auto index) {
    VectorTimesJaggedJob<decltype(index)> job;
    job.shape = operands.shape<decltype(index)>();
    job.v = operands.v.const_data_ptr();
    job.values = operands.values.const_data_ptr();
    job.out = out.mutable_data_ptr();
    run(job, out);
  });
  return out;
}

std::tuple<Tensor, Tensor> backward(const Tensor& grad_output, const Tensor& v,
                                    const Tensor& a_values, const Tensor& a_offsets) {
  const char* const op = "batched_dense_vec_jagged_2d_mul_backward";
  const Operands operands = check_operands(op, v, a_values, a_offsets);
  require_same_dtype(op, v, grad_output, "grad_output");
  require_same_device(op, v, grad_output, "grad_output");
  require(grad_output.dim() == 2 && grad_output.size(0) == v.size(0) &&
              grad_output.size(1) == operands.columns,
          op, "`grad_output` must have the shape [", v.size(0), ", ", operands.columns,
          "], got shape ", shape_text(grad_output));
  const Tensor gradient = as_contiguous(grad_output);
  const Tensor d_v = empty_like_device(v, {v.size(0), v.size(1)}, v.scalar_type());
  const Tensor d_values =
      empty_like_device(v, {a_values.size(0), a_values.size(1)}, v.scalar_type());
  with_index_type(a_offsets, [&](auto index) {
    using Index = decltype(index);
    if (d_v.numel() > 0) {
      VectorGradientJob<Index> job;
      job.shape = operands.shape<Index>();
      job.gradient = gradient.const_data_ptr();
      job.values = operands.values.const_data_ptr();
      job.out = d_v.mutable_data_ptr();
      run(job, d_v);
    }
    if (d_values.numel() > 0) {
      JaggedGradientJob<Index> job;
      job.shape = operands.shape<Index>();
      job.gradient = gradient.const_data_ptr();
      job.v = operands.v.const_data_ptr();
      job.out = d_values.mutable_data_ptr();
      run(job, d_values);
    }
  });
  return {d_v, d_values};
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def("batched_dense_vec_jagged_2d_mul(Tensor v, Tensor a_values, Tensor a_offsets) -> Tensor");
  m.def(
      "batched_dense_vec_jagged_2d_mul_forward(Tensor v, Tensor a_values, Tensor a_offsets) "
      "-> Tensor");
  m.def(
      "batched_dense_vec_jagged_2d_mul_backward(Tensor grad_output, Tensor v, Tensor a_values, "
      "Tensor a_offsets) -> (Tensor, Tensor)");
}

void register_kernels(Library& m) {
  m.impl("batched_dense_vec_jagged_2d_mul", TORCH_BOX(&multiply));
  m.impl("batched_dense_vec_jagged_2d_mul_forward", TORCH_BOX(&multiply));
  m.impl("batched_dense_vec_jagged_2d_mul_backward", TORCH_BOX(&backward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
