#pragma once

// The offsets that the operators on jagged tensors share, checked once for all of them.

#include "base/tensors.h"
#include "index/jagged.h"

namespace pinwheel {

/// Offsets and extents, checked and contiguous.
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

  int64_t groups() const { return offsets[0].numel() - 1; }
  /// [groups, max_lengths...]: the dense form without the dimension of the rows.
  std::vector<int64_t> dense_sizes() const;
};

/// Fails unless `offsets`, called `name` in messages, are 1 to 5 levels that fit each other,
/// `max_lengths` and `value_rows` rows below them. On the CPU their contents are read once here. A
/// GPU build does not wait for the device: its kernels treat offsets that lead outside as padding.
Jagged check_jagged(const char* op, const char* name, const Tensor& data,
                    const std::vector<Tensor>& offsets, const std::vector<int64_t>& max_lengths,
                    int64_t value_rows);

/// As above for a dense form [groups, max_lengths..., row] or [groups, max_lengths...] called
/// `dense_name`.
Jagged check_jagged_dense(const char* op, const char* name, const char* dense_name,
                          const Tensor& dense, const std::vector<Tensor>& offsets,
                          int64_t value_rows);

/// The last number of an index tensor that is not empty. Waits for a GPU.
int64_t last_number(const Tensor& offsets);

}  // namespace pinwheel
