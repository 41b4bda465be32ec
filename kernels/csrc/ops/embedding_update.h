#pragma once

#include "base/device.h"
#include "jobs/embedding_update.h"
#include "ops/tbe_arguments.h"

namespace pinwheel {

/// The arguments that the embedding optimizers share, checked and contiguous.
struct UpdateInput {
  const char* op = nullptr;
  Tensor grad;
  TbeInput tbe;

  bool pooled() const { return tbe.pooling != Pooling::kNone; }
};

struct UpdateOptions {
  int64_t weight_decay_mode = 0;
  double max_norm = 0;
};

/// Fails, naming the operator, if the arguments are inconsistent. On the CPU contents are checked
/// too, except the indices, which the update itself checks. Ignores the `total_D` of `arguments`.
UpdateInput check_update(const char* op, const Tensor& grad, TbeArguments arguments,
                         const UpdateOptions& options);

template <class Index>
EmbeddingUpdate<Index> job_of(const UpdateInput& input);

/// The keys of all positions, sorted on the device, and the scratch memory of the kernels after the
/// sort. `momentum_rows` is -1 for a rule without momentum.
class SortedUpdate {
 public:
  template <class Index>
  SortedUpdate(const UpdateInput& input, const EmbeddingUpdate<Index>& job, int64_t momentum_rows,
               void* stream);

  const SortedRows& rows() const { return rows_; }

 private:
  Tensor shares_;
  Tensor keys_;
  Tensor order_;
  Tensor partials_;
  Tensor plan_;
  SortedRows rows_;
};

/// Updates the rows that `input` looks up.
template <class Rule>
void update_rows(const UpdateInput& input, const Rule& rule, int64_t momentum_rows) {
  with_index_type(input.tbe.indices, [&](auto index) {
    const auto job = job_of<decltype(index)>(input);
    if (job.bags.positions == 0) return;
    if (is_on_cpu(input.grad)) {
      const int64_t bad = run_cpu(job, rule);
      if (bad >= 0) fail_at_position(input.op, input.tbe, bad);
      return;
    }
#ifdef PINWHEEL_GPU
    const GpuStreamGuard guard(input.grad);
    const SortedUpdate sorted(input, job, momentum_rows, guard.stream());
    run_gpu(job.rows, sorted.rows(), rule, guard.stream());
#else
    (void)momentum_rows;
#endif
  });
}

}  // namespace pinwheel
