#include "base/device.h"
#include "base/register.h"
#include "ops/embedding_update.h"

namespace pinwheel {
namespace {

constexpr const char* kOp = "tbe_backward_rowwise_adagrad_";

void check_momentum(const UpdateInput& input, const Tensor& momentum1) {
  if (momentum1.dim() != 1 || momentum1.scalar_type() != ScalarType::Float) {
    fail(kOp, "`momentum1` must be 1-D of float32, not of ",
         torch::headeronly::toString(momentum1.scalar_type()), " and shape ",
         shape_text(momentum1));
  }
  require(momentum1.is_contiguous(), kOp,
          "`momentum1` must be contiguous, because it is modified in place");
  require_same_device(kOp, input.grad, momentum1, "momentum1");
  if (!is_on_cpu(momentum1)) return;
  const int64_t rows = input.tbe.tables.hash_size_cumsum[input.tbe.tables.count];
  require(momentum1.numel() >= rows, kOp, "`momentum1` must have an element for each of the ", rows,
          " rows, it has ", momentum1.numel());
}

void adagrad(const Tensor& grad, const Tensor& weights, const Tensor& momentum1,
             const Tensor& weights_offsets, const Tensor& D_offsets, const Tensor& hash_size_cumsum,
             const Tensor& indices, const Tensor& offsets, int64_t pooling_mode,
             const std::optional<Tensor>& indice_weights, double learning_rate, double eps,
             double weight_decay, int64_t weight_decay_mode, double max_norm) {
  const UpdateInput input = check_update(kOp, grad,
                                         {weights, weights_offsets, D_offsets, 0, hash_size_cumsum,
                                          indices, offsets, pooling_mode, indice_weights},
                                         {weight_decay_mode, max_norm});
  check_momentum(input, momentum1);
  announce_change(kOp, weights, "weights");
  announce_change(kOp, momentum1, "momentum1");
  AdagradRule rule;
  rule.learning_rate = static_cast<float>(learning_rate);
  rule.eps = static_cast<float>(eps);
  rule.weight_decay = static_cast<float>(weight_decay);
  rule.mode = static_cast<WeightDecay>(weight_decay_mode);
  rule.max_norm = static_cast<float>(max_norm);
  rule.momentum = static_cast<float*>(momentum1.mutable_data_ptr());
  update_rows(input, rule, momentum1.numel());
}

void define_schemas(Library& m) {
  m.def(
      "tbe_backward_rowwise_adagrad_(Tensor grad, Tensor(a!) weights, Tensor(b!) momentum1, "
      "Tensor weights_offsets, Tensor D_offsets, Tensor hash_size_cumsum, Tensor indices, "
      "Tensor offsets, int pooling_mode, Tensor? indice_weights, float learning_rate, float eps, "
      "float weight_decay=0, int weight_decay_mode=0, float max_norm=0) -> ()");
}

void register_kernels(Library& m) {
  m.impl(kOp, TORCH_BOX(&adagrad));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
