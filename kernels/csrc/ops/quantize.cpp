#include "jobs/quantize.h"

#include "base/register.h"
#include "ops/float_dtype.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

std::vector<int64_t> with_last(const Tensor& tensor, int64_t last) {
  std::vector<int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
  sizes.back() = last;
  return sizes;
}

int64_t row_count(const Tensor& tensor) {
  const std::vector<int64_t> sizes(tensor.sizes().begin(), tensor.sizes().end() - 1);
  return product(sizes);
}

/// FBGEMM's GPU operator pads the codes to a multiple of 4; its CPU operator does not.
Tensor quantize(const Tensor& t) {
  const char* const op = "FloatOrHalfToFused8BitRowwiseQuantized";
  require(t.dim() >= 2, op, "`t` must have at least 2 dimensions, got shape ", shape_text(t));
  const Tensor input = as_contiguous(t);
  QuantizeJob job;
  job.dtype = float_dtype_of(op, input, "t");
  job.rows = row_count(input);
  job.columns = input.size(input.dim() - 1);
  const int64_t codes = is_on_cpu(input) ? job.columns : (job.columns + 3) / 4 * 4;
  job.layout.row_bytes = codes + 8;
  const Tensor output =
      empty_like_device(input, with_last(input, job.layout.row_bytes), ScalarType::Byte);
  if (output.numel() == 0) return output;
  job.in = input.const_data_ptr();
  job.out = static_cast<uint8_t*>(output.mutable_data_ptr());
  run(job, input);
  return output;
}

Tensor dequantize(const Tensor& input_in, int64_t output_dtype, bool scale_bias_last,
                  bool quant_padding_float_type) {
  const char* const op = "Fused8BitRowwiseQuantizedToFloatOrHalf";
  require(input_in.dim() >= 2, op, "`input` must have at least 2 dimensions, got shape ",
          shape_text(input_in));
  require(input_in.scalar_type() == ScalarType::Byte, op, "`input` must hold uint8, not ",
          torch::headeronly::toString(input_in.scalar_type()));
  const OutputDtype dtype = output_dtype_of(op, output_dtype);
  const Tensor input = as_contiguous(input_in);
  DequantizeJob job;
  job.rows = row_count(input);
  job.layout.row_bytes = input.size(input.dim() - 1);
  job.layout.dtype = quant_padding_float_type ? ParameterDtype::kFloat32 : ParameterDtype::kFloat16;
  job.layout.place = scale_bias_last ? ParameterPlace::kLast : ParameterPlace::kFirst;
  require(job.layout.codes() >= 0, op, "a row of `input` needs at least ",
          job.layout.parameter_bytes(), " bytes for scale and bias, it has ", job.layout.row_bytes);
  const Tensor output =
      empty_like_device(input, with_last(input, job.layout.codes()), dtype.scalar);
  if (output.numel() == 0) return output;
  job.dtype = dtype.number;
  job.in = static_cast<const uint8_t*>(input.const_data_ptr());
  job.out = output.mutable_data_ptr();
  run(job, input);
  return output;
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def("FloatOrHalfToFused8BitRowwiseQuantized(Tensor t) -> Tensor");
  m.def(
      "Fused8BitRowwiseQuantizedToFloatOrHalf(Tensor input, int output_dtype=0, "
      "bool scale_bias_last=True, bool quant_padding_float_type=True) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("FloatOrHalfToFused8BitRowwiseQuantized", TORCH_BOX(&quantize));
  m.impl("Fused8BitRowwiseQuantizedToFloatOrHalf", TORCH_BOX(&dequantize));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
