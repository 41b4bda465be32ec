#include "base/register.h"
#include "ops/tbe_arguments.h"

namespace pinwheel {
namespace {

Tensor tbe_forward(const Tensor& weights, const Tensor& weights_offsets, const Tensor& D_offsets,
                   int64_t total_D, const Tensor& hash_size_cumsum, const Tensor& indices,
                   const Tensor& offsets, int64_t pooling_mode,
                   const std::optional<Tensor>& indice_weights, int64_t output_dtype) {
  const char* const op = "tbe_forward";
  const FloatDtype dtype = float_dtype_of(op, weights, "weights");
  const TbeInput input =
      check_tbe(op, {weights, weights_offsets, D_offsets, total_D, hash_size_cumsum, indices,
                     offsets, pooling_mode, indice_weights});
  return look_up(op, input, output_dtype, [&](auto lookup) {
    lookup.weights_dtype = dtype;
    return lookup;
  });
}

void define_schemas(Library& m) {
  m.def(
      "tbe_forward(Tensor weights, Tensor weights_offsets, Tensor D_offsets, SymInt total_D, "
      "Tensor hash_size_cumsum, Tensor indices, Tensor offsets, int pooling_mode, "
      "Tensor? indice_weights=None, int output_dtype=0) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("tbe_forward", TORCH_BOX(&tbe_forward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
