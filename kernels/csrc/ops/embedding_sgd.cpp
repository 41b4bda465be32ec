#include "base/register.h"
#include "ops/embedding_update.h"

namespace pinwheel {
namespace {

constexpr const char* kOp = "tbe_backward_sgd_";

void sgd(const Tensor& grad, const Tensor& weights, const Tensor& weights_offsets,
         const Tensor& D_offsets, const Tensor& hash_size_cumsum, const Tensor& indices,
         const Tensor& offsets, int64_t pooling_mode, const std::optional<Tensor>& indice_weights,
         double learning_rate, double weight_decay, int64_t weight_decay_mode, double max_norm) {
  const UpdateInput input = check_update(kOp, grad,
                                         {weights, weights_offsets, D_offsets, 0, hash_size_cumsum,
                                          indices, offsets, pooling_mode, indice_weights},
                                         {weight_decay_mode, max_norm});
  announce_change(kOp, weights, "weights");
  SgdRule rule;
  rule.learning_rate = static_cast<float>(learning_rate);
  if (weight_decay_mode != 0) rule.keep = static_cast<float>(1.0 - learning_rate * weight_decay);
  rule.max_norm = static_cast<float>(max_norm);
  update_rows(input, rule, -1);
}

void define_schemas(Library& m) {
  m.def(
      "tbe_backward_sgd_(Tensor grad, Tensor(a!) weights, Tensor weights_offsets, "
      "Tensor D_offsets, Tensor hash_size_cumsum, Tensor indices, Tensor offsets, "
      "int pooling_mode, Tensor? indice_weights, float learning_rate, float weight_decay=0, "
      "int weight_decay_mode=0, float max_norm=0) -> ()");
}

void register_kernels(Library& m) {
  m.impl(kOp, TORCH_BOX(&sgd));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
