#include "jobs/jagged_softmax.h"

#include "base/register.h"
#include "ops/jagged_offsets.h"
#include "ops/real_dtype.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

Tensor softmax(const Tensor& values_in, const Tensor& x_offsets, int64_t max_L) {
  const char* const op = "jagged_softmax";
  require(values_in.dim() == 2, op, "`values` must be 2-D, got shape ", shape_text(values_in));
  const RealDtype dtype = real_dtype(op, "values", values_in);
  const Tensor values = as_contiguous(values_in);
  const Jagged jagged = check_jagged(op, "x_offsets", values, {x_offsets}, {max_L}, values.size(0));
  const Tensor out =
      empty_like_device(values, {values.size(0), values.size(1)}, values.scalar_type());
  if (out.numel() == 0) return out;
  with_index_type(x_offsets, [&](auto index) {
    JaggedSoftmaxJob<decltype(index)> job;
    job.jagged = jagged.view<decltype(index)>();
    job.dtype = dtype;
    job.values = values.const_data_ptr();
    job.out = out.mutable_data_ptr();
    job.columns = values.size(1);
    run(job, values);
  });
  return out;
}

Tensor backward(const Tensor& grad_output, const Tensor& output_in, const Tensor& x_offsets,
                int64_t max_L) {
  const char* const op = "jagged_softmax_backward";
  require(output_in.dim() == 2, op, "`output` must be 2-D, got shape ", shape_text(output_in));
  const RealDtype dtype = real_dtype(op, "output", output_in);
  require_same_dtype(op, output_in, grad_output, "grad_output");
  require_same_device(op, output_in, grad_output, "grad_output");
  require(grad_output.dim() == 2 && grad_output.size(0) == output_in.size(0) &&
              grad_output.size(1) == output_in.size(1),
          op, "`grad_output` must have the shape of `output`, ", shape_text(output_in),
          ", got shape ", shape_text(grad_output));
  const Tensor output = as_contiguous(output_in);
  const Tensor gradient = as_contiguous(grad_output);
  const Jagged jagged = check_jagged(op, "x_offsets", output, {x_offsets}, {max_L}, output.size(0));
  const Tensor out =
      empty_like_device(output, {output.size(0), output.size(1)}, output.scalar_type());
  if (out.numel() == 0) return out;
  with_index_type(x_offsets, [&](auto index) {
    JaggedSoftmaxGradientJob<decltype(index)> job;
    job.jagged = jagged.view<decltype(index)>();
    job.dtype = dtype;
    job.gradient = gradient.const_data_ptr();
    job.softmax = output.const_data_ptr();
    job.out = out.mutable_data_ptr();
    job.columns = output.size(1);
    run(job, output);
  });
  return out;
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace. The first one
// returns the offsets unchanged: it is implemented in Python, on top of the second.
void define_schemas(Library& m) {
  m.def("jagged_softmax(Tensor values, Tensor x_offsets, int max_L) -> (Tensor, Tensor)");
  m.def("jagged_softmax_forward(Tensor values, Tensor x_offsets, int max_L) -> Tensor");
  m.def(
      "jagged_softmax_backward(Tensor grad_output, Tensor output, Tensor x_offsets, int max_L) "
      "-> Tensor");
}

void register_kernels(Library& m) {
  m.impl("jagged_softmax_forward", TORCH_BOX(&softmax));
  m.impl("jagged_softmax_backward", TORCH_BOX(&backward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
