#pragma once

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <array>
#include <optional>

namespace pinwheel {

struct Sorted {
  torch::stable::Tensor values;
  torch::stable::Tensor
      order;  ///< int64: the original position of each value; ascending among equal values
};

/// torch's own stable sort of a 1-D tensor, on the tensor's device and without waiting for it.
inline Sorted stable_sort(const torch::stable::Tensor& values) {
  using torch::stable::detail::from;
  // aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False)
  std::array<StableIValue, 4> stack = {from(values), from(std::optional<bool>(true)),
                                       from(int64_t{-1}), from(false)};
  TORCH_ERROR_CODE_CHECK(
      torch_call_dispatcher("aten::sort", "stable", stack.data(), TORCH_ABI_VERSION));
  using torch::stable::detail::to;
  return Sorted{to<torch::stable::Tensor>(stack[0]), to<torch::stable::Tensor>(stack[1])};
}

}  // namespace pinwheel
