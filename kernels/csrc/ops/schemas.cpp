#include "base/tensors.h"

// The schemas keep FBGEMM's names and argument order, so that callers port by renaming the
// namespace.
STABLE_TORCH_LIBRARY(pinwheel, m) {
  m.def("asynchronous_exclusive_cumsum(Tensor t_in) -> Tensor");
  m.def("asynchronous_inclusive_cumsum(Tensor t_in) -> Tensor");
  m.def("asynchronous_complete_cumsum(Tensor t_in) -> Tensor");
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
      "permute_2D_sparse_data(Tensor permute, Tensor lengths, Tensor values, Tensor? weights=None, "
      "SymInt? permuted_lengths_sum=None) -> (Tensor, Tensor, Tensor?)");
  m.def("FloatOrHalfToFused8BitRowwiseQuantized(Tensor t) -> Tensor");
  m.def(
      "Fused8BitRowwiseQuantizedToFloatOrHalf(Tensor input, int output_dtype=0, "
      "bool scale_bias_last=True, bool quant_padding_float_type=True) -> Tensor");
}
