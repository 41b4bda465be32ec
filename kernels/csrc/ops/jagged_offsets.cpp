#include "ops/jagged_offsets.h"

#include "base/device.h"

namespace pinwheel {
namespace {

void check_depth(const char* op, const char* name, const std::vector<Tensor>& offsets,
                 size_t lengths) {
  require(!offsets.empty() && offsets.size() <= kMaxJaggedDepth, op, "`", name, "` must list 1 to ",
          kMaxJaggedDepth, " tensors, not ", offsets.size());
  require(lengths == offsets.size(), op, "one maximum length for each of the ", offsets.size(),
          " tensors of `", name, "` is required, got ", lengths);
}

template <class Index>
void check_level(const char* op, const char* name, const Tensor& offsets, size_t level,
                 int64_t limit) {
  const Index* const at = static_cast<const Index*>(offsets.const_data_ptr());
  const int64_t groups = offsets.numel() - 1;
  require(at[0] == 0, op, "`", name, "[", level, "]` must start with 0, not ", at[0]);
  Index bad = 0;
  for (int64_t g = 0; g < groups; ++g) bad |= static_cast<Index>(at[g + 1] < at[g]);
  for (int64_t g = 0; bad != 0 && g < groups; ++g) {
    require(at[g + 1] >= at[g], op, "`", name, "[", level, "]` decreases at position ", g + 1,
            ", from ", at[g], " to ", at[g + 1]);
  }
  require(at[groups] <= limit, op, "`", name, "[", level, "]` ends at ", at[groups],
          " but there are only ", limit, " rows below it");
}

void check_tensor(const char* op, const std::string& name, const Tensor& data,
                  const Tensor& offsets) {
  require_index_dtype(op, offsets, name.c_str());
  require_same_device(op, data, offsets, name.c_str());
  require(offsets.dim() == 1 && offsets.numel() >= 1, op, "`", name,
          "` must be 1-D with at least one element, got shape ", shape_text(offsets));
}

}  // namespace

std::vector<int64_t> Jagged::dense_sizes() const {
  std::vector<int64_t> sizes = {groups()};
  sizes.insert(sizes.end(), max_lengths.begin(), max_lengths.end());
  return sizes;
}

Jagged check_jagged(const char* op, const char* name, const Tensor& data,
                    const std::vector<Tensor>& offsets, const std::vector<int64_t>& max_lengths,
                    int64_t value_rows) {
  check_depth(op, name, offsets, max_lengths.size());
  Jagged jagged;
  jagged.max_lengths = max_lengths;
  jagged.value_rows = value_rows;
  for (size_t d = 0; d < offsets.size(); ++d) {
    require(max_lengths[d] >= 0, op, "a maximum length is negative: ", max_lengths[d]);
    check_tensor(op, name + ("[" + std::to_string(d) + "]"), data, offsets[d]);
    require(offsets[d].scalar_type() == offsets[0].scalar_type(), op, "all `", name,
            "` must have the same dtype");
    jagged.offsets.push_back(as_contiguous(offsets[d]));
  }
  if (!is_on_cpu(data)) return jagged;
  for (size_t d = 0; d < offsets.size(); ++d) {
    const int64_t limit = d + 1 < offsets.size() ? offsets[d + 1].numel() - 1 : value_rows;
    with_index_type(offsets[d], [&](auto index) {
      check_level<decltype(index)>(op, name, jagged.offsets[d], d, limit);
    });
  }
  return jagged;
}

Jagged check_jagged_dense(const char* op, const char* name, const char* dense_name,
                          const Tensor& dense, const std::vector<Tensor>& offsets,
                          int64_t value_rows) {
  const int64_t depth = static_cast<int64_t>(offsets.size());
  const int64_t dim = dense.dim();
  require(dim == depth + 1 || dim == depth + 2, op, "`", dense_name, "` must be ", depth + 1,
          "-D or ", depth + 2, "-D for ", depth, " tensors of `", name, "`, got shape ",
          shape_text(dense));
  const std::vector<int64_t> max_lengths(dense.sizes().begin() + 1,
                                         dense.sizes().begin() + 1 + depth);
  const Jagged jagged = check_jagged(op, name, dense, offsets, max_lengths, value_rows);
  require(dense.size(0) == jagged.groups(), op, "`", dense_name, "` has ", dense.size(0),
          " groups but `", name, "[0]` has ", jagged.groups());
  return jagged;
}

int64_t last_number(const Tensor& offsets_in) {
  Tensor last = offsets_in;
  int64_t at = last.numel() - 1;
  if (!is_on_cpu(last)) {
    const torch::stable::Device cpu(torch::headeronly::DeviceType::CPU);
    last =
        torch::stable::to(torch::stable::narrow(last, 0, at, 1), std::nullopt, std::nullopt, cpu);
    at = 0;
  }
  at *= last.dim() == 1 ? last.stride(0) : 1;
  return with_index_type(last, [&](auto index) {
    return static_cast<int64_t>(static_cast<const decltype(index)*>(last.const_data_ptr())[at]);
  });
}

}  // namespace pinwheel
