// The call of torch's sort that GPU builds use, as an operator of its own,
// `pinwheel_test::stable_sort`. torch has it on the CPU too, so the call can be tested without a
// GPU.

#include "ops/stable_sort.h"

#include <tuple>

namespace {

using torch::stable::Tensor;

std::tuple<Tensor, Tensor> sort_and_tell(const Tensor& values) {
  const pinwheel::Sorted sorted = pinwheel::stable_sort(values);
  return {sorted.values, sorted.order};
}

}  // namespace

STABLE_TORCH_LIBRARY(pinwheel_test, m) {
  m.def("stable_sort(Tensor values) -> (Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(pinwheel_test, CPU, m) {
  m.impl("stable_sort", TORCH_BOX(&sort_and_tell));
}
