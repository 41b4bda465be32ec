#pragma once

#include <optional>

#include "base/tensors.h"
#include "kernels/embedding_update.h"

namespace pinwheel {

/// The arguments that the optimizers of embedding tables share.
struct UpdateArguments {
  const char* op = nullptr;
  Tensor grad;
  Tensor weights;
  Tensor weights_offsets;
  Tensor D_offsets;
  Tensor hash_size_cumsum;
  Tensor indices;
  Tensor offsets;
  int64_t pooling_mode = 0;
  std::optional<Tensor> indice_weights;
  int64_t weight_decay_mode = 0;
  double max_norm = 0;

  bool pooled() const { return pooling_mode != 2; }
  int64_t tables() const { return D_offsets.numel() - 1; }
  int64_t batch() const { return (offsets.numel() - 1) / tables(); }
};

/// The same, contiguous. Fails, naming the operator, when anything does not fit together; on the
/// CPU contents are read too, all but the indices, of which the update itself takes care.
UpdateArguments checked(UpdateArguments arguments);

/// How many rows all tables have together; on the CPU only.
int64_t row_count(const UpdateArguments& arguments);

template <class Index>
EmbeddingUpdate<Index> job_of(const UpdateArguments& arguments);

/// Fails because the index at `position` is no row.
template <class Index>
[[noreturn]] void fail_on_index(const UpdateArguments& arguments, const EmbeddingUpdate<Index>& job,
                                int64_t position);

/// The keys of all positions, sorted on the device, and what the kernels behind the sort need.
/// `momentum_rows` is -1 for a rule without momentum.
class SortedUpdate {
 public:
  template <class Index>
  SortedUpdate(const UpdateArguments& arguments, const EmbeddingUpdate<Index>& job,
               int64_t momentum_rows);

  const SortedRows& rows() const { return rows_; }
  void* stream() const { return stream_; }

 private:
  Tensor shares_;
  Tensor keys_;
  Tensor order_;
  Tensor partials_;
  Tensor plan_;
  SortedRows rows_;
  void* stream_ = nullptr;
};

/// Changes the rows that the checked `arguments` ask for.
template <class Rule>
void update_rows(const UpdateArguments& arguments, const Rule& rule, int64_t momentum_rows) {
  with_index_type(arguments.indices, [&](auto index) {
    const auto job = job_of<decltype(index)>(arguments);
    if (job.bags.positions == 0) return;
    if (arguments.grad.is_cpu()) {
      const int64_t bad = run_cpu(job, rule);
      if (bad >= 0) fail_on_index(arguments, job, bad);
      return;
    }
#ifdef PINWHEEL_GPU
    const torch::stable::accelerator::DeviceGuard guard(arguments.grad.get_device_index());
    const SortedUpdate sorted(arguments, job, momentum_rows);
    run_gpu(job.rows, sorted.rows(), rule, sorted.stream());
#else
    (void)momentum_rows;
#endif
  });
}

}  // namespace pinwheel
