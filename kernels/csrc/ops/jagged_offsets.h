#pragma once

// The offsets that all operators on jagged tensors take, and their checks.

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
  /// [groups, max_lengths...]: the shape of the dense form without the row dimension.
  std::vector<int64_t> dense_sizes() const;
};

/// Fails unless `offsets`, called `name` in messages, are 1 to 5 levels that are consistent with
/// each other, with `max_lengths` and with `value_rows` rows below them. On the CPU their contents
/// are checked here, in one pass. A GPU build does not wait for the device: its kernels treat
/// out-of-range offsets as padding.
Jagged check_jagged(const char* op, const char* name, const Tensor& data,
                    const std::vector<Tensor>& offsets, const std::vector<int64_t>& max_lengths,
                    int64_t value_rows);

/// As above for a dense form [groups, max_lengths..., row] or [groups, max_lengths...] called
/// `dense_name`.
Jagged check_jagged_dense(const char* op, const char* name, const char* dense_name,
                          const Tensor& dense, const std::vector<Tensor>& offsets,
                          int64_t value_rows);

/// The last element of a non-empty index tensor. On a GPU, waits for it.
int64_t last_number(const Tensor& offsets);

}  // namespace pinwheel
