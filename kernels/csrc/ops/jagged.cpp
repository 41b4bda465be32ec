#include "kernels/jagged.h"

#include <cstring>

#include "base/register.h"
#include "ops/padding.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

/// The arguments that forward and backward share, checked and contiguous.
struct Jagged {
  std::vector<Tensor> offsets;
  std::vector<int64_t> max_lengths;
  int64_t value_rows = 0;

  template <class Index>
  JaggedView<Index> view() const {
    JaggedView<Index> view;
    view.depth = static_cast<int>(offsets.size());
    view.value_rows = value_rows;
    for (int d = 0; d < view.depth; ++d) {
      view.offsets[d] = static_cast<const Index*>(offsets[d].const_data_ptr());
      view.groups[d] = offsets[d].numel() - 1;
      view.max_length[d] = max_lengths[d];
    }
    return view;
  }
};

void check_depth(const char* op, const std::vector<Tensor>& offsets, size_t lengths) {
  require(!offsets.empty() && offsets.size() <= kMaxJaggedDepth, op, "`offsets` must list 1 to ",
          kMaxJaggedDepth, " tensors, not ", offsets.size());
  require(lengths == offsets.size(), op, "one maximal length for each of the ", offsets.size(),
          " tensors of `offsets` is needed, got ", lengths);
}

/// On the CPU the offsets are read once here. A GPU build does not wait for the device: its kernels
/// treat offsets that lead outside as padding.
template <class Index>
void check_level(const char* op, const Tensor& offsets, size_t level, int64_t limit) {
  const Index* const at = static_cast<const Index*>(offsets.const_data_ptr());
  const int64_t groups = offsets.numel() - 1;
  require(at[0] == 0, op, "`offsets[", level, "]` must start with 0, not ", at[0]);
  Index bad = 0;
  for (int64_t g = 0; g < groups; ++g) bad |= static_cast<Index>(at[g + 1] < at[g]);
  require(bad == 0, op, "`offsets[", level, "]` decreases");
  require(at[groups] <= limit, op, "`offsets[", level, "]` ends at ", at[groups],
          " but there are only ", limit, " rows below it");
}

Jagged check_jagged(const char* op, const Tensor& data, const std::vector<Tensor>& offsets,
                    const std::vector<int64_t>& max_lengths, int64_t value_rows) {
  check_depth(op, offsets, max_lengths.size());
  Jagged jagged;
  jagged.max_lengths = max_lengths;
  jagged.value_rows = value_rows;
  for (size_t d = 0; d < offsets.size(); ++d) {
    const std::string name = "offsets[" + std::to_string(d) + "]";
    require(max_lengths[d] >= 0, op, "a maximal length is negative: ", max_lengths[d]);
    require_index_dtype(op, offsets[d], name.c_str());
    require(offsets[d].scalar_type() == offsets[0].scalar_type(), op,
            "all `offsets` must have one dtype");
    require_same_device(op, data, offsets[d], name.c_str());
    require(offsets[d].dim() == 1 && offsets[d].numel() >= 1, op, "`", name,
            "` must be 1-D with at least one number, its shape is ", shape_text(offsets[d]));
    jagged.offsets.push_back(torch::stable::contiguous(offsets[d]));
  }
  if (!data.is_cpu()) return jagged;
  for (size_t d = 0; d < offsets.size(); ++d) {
    const int64_t limit = d + 1 < offsets.size() ? offsets[d + 1].numel() - 1 : value_rows;
    with_index_type(offsets[d], [&](auto index) {
      check_level<decltype(index)>(op, jagged.offsets[d], d, limit);
    });
  }
  return jagged;
}

/// `values` of one dimension have rows of one element, and a dense form without the last dimension.
Tensor to_dense(const char* op, const Tensor& values_in, const std::vector<Tensor>& offsets,
                const std::vector<int64_t>& max_lengths, double padding_value) {
  require(values_in.dim() == 1 || values_in.dim() == 2, op,
          "`values` must be 1-D or 2-D, its shape is ", shape_text(values_in));
  const Tensor values = torch::stable::contiguous(values_in);
  const Jagged jagged = check_jagged(op, values, offsets, max_lengths, values.size(0));
  std::vector<int64_t> sizes = {offsets[0].numel() - 1};
  sizes.insert(sizes.end(), max_lengths.begin(), max_lengths.end());
  const int64_t dense_rows = product(sizes);
  const int64_t row_elements = values.dim() == 2 ? values.size(1) : 1;
  if (values.dim() == 2) sizes.push_back(row_elements);
  unsigned char pattern[16];
  fill_pattern(op, values.scalar_type(), padding_value, pattern);
  const Tensor dense = empty_like_device(values, sizes, values.scalar_type());
  if (dense.numel() == 0) return dense;
  with_index_type(offsets[0], [&](auto index) {
    JaggedToDenseJob<decltype(index)> job;
    job.jagged = jagged.view<decltype(index)>();
    job.values = values.const_data_ptr();
    job.dense = dense.mutable_data_ptr();
    job.row_bytes = row_elements * static_cast<int64_t>(values.element_size());
    job.dense_rows = dense_rows;
    std::memcpy(job.padding, pattern, sizeof(pattern));
    run(job, values);
  });
  return dense;
}

Tensor jagged_to_padded_dense(const Tensor& values, const std::vector<Tensor>& offsets,
                              const std::vector<int64_t>& max_lengths, double padding_value) {
  return to_dense("jagged_to_padded_dense", values, offsets, max_lengths, padding_value);
}

Tensor forward(const Tensor& values, const std::vector<Tensor>& offsets,
               const std::vector<int64_t>& max_lengths, double padding_value) {
  return to_dense("jagged_to_padded_dense_forward", values, offsets, max_lengths, padding_value);
}

Tensor backward(const Tensor& grad_output, const std::vector<Tensor>& offsets, int64_t total_L) {
  const char* const op = "jagged_to_padded_dense_backward";
  const int64_t depth = static_cast<int64_t>(offsets.size());
  const int64_t dim = grad_output.dim();
  require(dim == depth + 1 || dim == depth + 2, op, "`grad_output` must be ", depth + 1, "-D or ",
          depth + 2, "-D for ", depth, " tensors of `offsets`, its shape is ",
          shape_text(grad_output));
  require(total_L >= 0, op, "`total_L` is negative: ", total_L);
  const Tensor grad = torch::stable::contiguous(grad_output);
  const std::vector<int64_t> max_lengths(grad.sizes().begin() + 1,
                                         grad.sizes().begin() + 1 + depth);
  const Jagged jagged = check_jagged(op, grad, offsets, max_lengths, total_L);
  require(grad.size(0) == offsets[0].numel() - 1, op, "`grad_output` has ", grad.size(0),
          " groups but `offsets[0]` has ", offsets[0].numel() - 1);
  std::vector<int64_t> sizes = {total_L};
  if (dim == depth + 2) sizes.push_back(grad.size(dim - 1));
  const Tensor values = empty_like_device(grad, sizes, grad.scalar_type());
  if (values.numel() == 0) return values;
  with_index_type(offsets[0], [&](auto index) {
    DenseToJaggedJob<decltype(index)> job;
    job.jagged = jagged.view<decltype(index)>();
    job.dense = grad.const_data_ptr();
    job.values = values.mutable_data_ptr();
    job.row_bytes = (sizes.size() == 2 ? sizes[1] : 1) * static_cast<int64_t>(grad.element_size());
    run(job, grad);
  });
  return values;
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "jagged_to_padded_dense(Tensor values, Tensor[] offsets, SymInt[] max_lengths, "
      "float padding_value=0) -> Tensor");
  m.def(
      "jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, "
      "float padding_value=0) -> Tensor");
  m.def(
      "jagged_to_padded_dense_backward(Tensor grad_output, Tensor[] offsets, SymInt total_L) "
      "-> Tensor");
}

void register_kernels(Library& m) {
  m.impl("jagged_to_padded_dense", TORCH_BOX(&jagged_to_padded_dense));
  m.impl("jagged_to_padded_dense_forward", TORCH_BOX(&forward));
  m.impl("jagged_to_padded_dense_backward", TORCH_BOX(&backward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
