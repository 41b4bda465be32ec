#pragma once

// What the operators use of torch's stable ABI, and the checks that several of them share.

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/check.h"

namespace pinwheel {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

/// The shape of a tensor as text, for messages: `[3, 4]`.
std::string shape_text(const Tensor& tensor);

/// An uninitialized tensor on `like`'s device. Fails when out of memory.
Tensor empty_like_device(const Tensor& like, const std::vector<int64_t>& sizes, ScalarType dtype);

/// `tensor` itself if it is already contiguous; calling torch would cost more than a small operator
/// takes.
inline Tensor as_contiguous(const Tensor& tensor) {
  return tensor.is_contiguous() ? tensor : torch::stable::contiguous(tensor);
}

/// Fails unless `other` is on the device of `first`.
void require_same_device(const char* op, const Tensor& first, const Tensor& other,
                         const char* name);

/// Tells torch that `tensor`, of at least 1 dimension, is about to be modified in place, so that it
/// rejects a backward pass that needs the old contents. Fails where torch allows no in-place
/// change, for example if `tensor` requires a gradient.
void announce_change(const char* op, const Tensor& tensor, const char* name);

/// Fails unless `tensor` holds int32 or int64.
void require_index_dtype(const char* op, const Tensor& tensor, const char* name);

inline int64_t product(const std::vector<int64_t>& factors) {
  int64_t result = 1;
  for (const int64_t factor : factors) result *= factor;
  return result;
}

/// Calls `body` with a value of the C++ type that holds `tensor`'s int32 or int64 elements.
template <class Body>
auto with_index_type(const Tensor& tensor, const Body& body) {
  return tensor.scalar_type() == ScalarType::Int ? body(int32_t{0}) : body(int64_t{0});
}

}  // namespace pinwheel
