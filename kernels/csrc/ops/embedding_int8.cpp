#include "jobs/embedding_int8.h"

#include "base/register.h"
#include "ops/tbe_arguments.h"

namespace pinwheel {
namespace {

template <class Index>
Int8EmbeddingForwardJob<Index> with_codes(const EmbeddingForwardJob<Index>& lookup,
                                          const QuantizedLayout& layout) {
  return {lookup, layout};
}

Tensor int8_tbe_forward(const Tensor& weights, const Tensor& weights_offsets,
                        const Tensor& D_offsets, int64_t total_D, const Tensor& hash_size_cumsum,
                        const Tensor& indices, const Tensor& offsets, int64_t pooling_mode,
                        const std::optional<Tensor>& indice_weights, int64_t output_dtype,
                        bool scale_bias_last, bool quant_padding_float_type,
                        int64_t row_alignment) {
  const char* const op = "int8_tbe_forward";
  require(weights.scalar_type() == ScalarType::Byte, op, "`weights` must hold uint8, not ",
          torch::headeronly::toString(weights.scalar_type()));
  require(row_alignment >= 1 && row_alignment <= 1 << 20, op,
          "`row_alignment` must be between 1 and 2^20, not ", row_alignment);
  QuantizedLayout layout;
  layout.dtype = quant_padding_float_type ? ParameterDtype::kFloat32 : ParameterDtype::kFloat16;
  layout.place = scale_bias_last ? ParameterPlace::kLast : ParameterPlace::kFirst;
  const TbeInput input = check_tbe(
      op, {weights, weights_offsets, D_offsets, total_D, hash_size_cumsum, indices, offsets,
           pooling_mode, indice_weights, layout.parameter_bytes(), row_alignment});
  return look_up(op, input, output_dtype, [&](auto lookup) { return with_codes(lookup, layout); });
}

void define_schemas(Library& m) {
  m.def(
      "int8_tbe_forward(Tensor weights, Tensor weights_offsets, Tensor D_offsets, SymInt total_D, "
      "Tensor hash_size_cumsum, Tensor indices, Tensor offsets, int pooling_mode, "
      "Tensor? indice_weights=None, int output_dtype=0, bool scale_bias_last=True, "
      "bool quant_padding_float_type=True, int row_alignment=1) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("int8_tbe_forward", TORCH_BOX(&int8_tbe_forward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
