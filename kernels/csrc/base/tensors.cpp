#include "base/tensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>

namespace pinwheel {
namespace {

/// The pages of a large result are faulted in at the first write, and with small pages that takes
/// longer than the writing itself. This is only a hint: failure is harmless.
void ask_for_large_pages(const Tensor& tensor) {
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(tensor.mutable_data_ptr());
  const uintptr_t end = begin + static_cast<uintptr_t>(tensor.numel()) * tensor.element_size();
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const uintptr_t last = end / kPage * kPage;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

std::string extents_text(const std::vector<int64_t>& sizes) {
  std::string text = "[";
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d > 0) text += ", ";
    text += std::to_string(sizes[d]);
  }
  return text + "]";
}

[[noreturn]] void fail_for_lack_of_memory(const std::vector<int64_t>& sizes) {
  throw std::runtime_error("pinwheel: not enough memory for a result of shape " +
                           extents_text(sizes));
}

/// An extent of 0 counts as 1, as in torch.
std::vector<int64_t> contiguous_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) {
    const int64_t extent = std::max<int64_t>(sizes[d], 1);
    if (__builtin_mul_overflow(strides[d], extent, &strides[d - 1])) {
      fail_for_lack_of_memory(sizes);
    }
  }
  return strides;
}

}  // namespace

std::string shape_text(const Tensor& tensor) {
  std::vector<int64_t> sizes(tensor.dim());
  for (int64_t d = 0; d < tensor.dim(); ++d) sizes[d] = tensor.size(d);
  return extents_text(sizes);
}

Tensor empty_like_device(const Tensor& like, const std::vector<int64_t>& sizes, ScalarType dtype) {
  const std::vector<int64_t> strides = contiguous_strides(sizes);
  int32_t device_type = 0;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_device_type(like.get(), &device_type));
  const auto number = torch::stable::detail::to<int32_t>(torch::stable::detail::from(dtype));
  AtenTensorHandle made = nullptr;
  // Not torch::stable::new_empty: going through torch's dispatcher takes longer than a small
  // operator's own work.
  const bool failed =
      aoti_torch_empty_strided(static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(),
                               number, device_type, like.get_device_index(), &made) != 0;
  if (failed) fail_for_lack_of_memory(sizes);
  Tensor tensor(made);
  if (tensor.is_cpu()) ask_for_large_pages(tensor);
  return tensor;
}

void require_same_device(const char* op, const Tensor& first, const Tensor& other,
                         const char* name) {
  const bool same =
      first.is_cpu() == other.is_cpu() && first.get_device_index() == other.get_device_index();
  require(same, op, "`", name, "` is on another device than the first argument");
}

void announce_change(const char* op, const Tensor& tensor, const char* name) {
  // The stable ABI cannot bump a tensor's version counter. Writing to an empty slice of it does,
  // after torch's own checks.
  try {
    Tensor whole = tensor;
    Tensor none = torch::stable::narrow(whole, 0, 0, 0);
    torch::stable::zero_(none);
  } catch (const std::exception&) {
    fail(op, "`", name, "` cannot be changed in place, because it requires a gradient or was made ",
         "in inference mode; use `torch.no_grad()` or `clone`");
  }
}

void require_index_dtype(const char* op, const Tensor& tensor, const char* name) {
  const ScalarType dtype = tensor.scalar_type();
  require(dtype == ScalarType::Int || dtype == ScalarType::Long, op, "`", name,
          "` must hold int32 or int64, not ", torch::headeronly::toString(dtype));
}

}  // namespace pinwheel
