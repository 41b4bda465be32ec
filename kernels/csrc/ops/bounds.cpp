#include "jobs/bounds.h"

#include <limits>
#include <numeric>
#include <optional>

#include "base/register.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

constexpr const char* kOp = "bounds_check_indices";
using MaybeTensor = std::optional<Tensor>;

/// Numbered as in FBGEMM.
enum class Mode : int64_t { kFatal = 0, kWarning = 1, kIgnore = 2 };

void check_vector(const Tensor& first, const Tensor& tensor, const char* name) {
  require_same_device(kOp, first, tensor, name);
  require(tensor.dim() == 1, kOp, "`", name, "` must be 1-D, got shape ", shape_text(tensor));
}

void check_written(const Tensor& first, const Tensor& tensor, const char* name) {
  check_vector(first, tensor, name);
  require(tensor.is_contiguous(), kOp, "`", name,
          "` must be contiguous, because it is modified in place");
}

void check_dtype(const Tensor& tensor, const char* name, ScalarType dtype) {
  require(tensor.scalar_type() == dtype, kOp, "`", name, "` must hold ",
          torch::headeronly::toString(dtype), ", not ",
          torch::headeronly::toString(tensor.scalar_type()));
}

void check_arguments(const Tensor& rows, const Tensor& indices, const Tensor& offsets,
                     const Tensor& warning, const MaybeTensor& weights, const MaybeTensor& starts) {
  check_vector(indices, rows, "rows_per_table");
  check_dtype(rows, "rows_per_table", ScalarType::Long);
  check_written(indices, indices, "indices");
  require_index_dtype(kOp, indices, "indices");
  check_written(indices, offsets, "offsets");
  require_index_dtype(kOp, offsets, "offsets");
  require(offsets.numel() > 0, kOp, "`offsets` must have at least one element");
  require(offsets.scalar_type() == ScalarType::Long ||
              indices.numel() <= std::numeric_limits<int32_t>::max(),
          kOp, "`offsets` of int32 cannot count ", indices.numel(), " indices");
  check_written(indices, warning, "warning");
  check_dtype(warning, "warning", ScalarType::Long);
  require(warning.numel() > 0, kOp, "`warning` must have at least one element");
  if (weights) {
    check_vector(indices, *weights, "weights");
    require(weights->numel() == indices.numel(), kOp,
            "`weights` must have the shape of `indices`, ", shape_text(indices), ", got shape ",
            shape_text(*weights));
  }
  const int64_t tables = rows.numel();
  const int64_t bags = offsets.numel() - 1;
  if (starts) {
    check_vector(indices, *starts, "B_offsets");
    check_dtype(*starts, "B_offsets", ScalarType::Int);
    require(starts->numel() == tables + 1, kOp, "`B_offsets` must have ", tables + 1,
            " elements for ", tables, " tables, not ", starts->numel());
  } else {
    require(tables > 0 ? bags % tables == 0 : bags == 0, kOp, "`offsets` has ", bags,
            " bags, which is not a multiple of the ", tables, " tables");
  }
}

void check_bag_starts(const int32_t* starts, int64_t tables, int64_t bags, int64_t max_B) {
  require(starts[0] == 0, kOp, "`B_offsets` must start with 0, not ", starts[0]);
  for (int64_t t = 0; t < tables; ++t) {
    const int64_t batch = static_cast<int64_t>(starts[t + 1]) - starts[t];
    require(batch >= 0, kOp, "`B_offsets` decreases at ", t + 1);
    require(batch <= max_B, kOp, "table ", t, " has ", batch, " bags but `max_B` is ", max_B);
  }
  require(starts[tables] == bags, kOp, "`B_offsets` ends at ", starts[tables],
          " but `offsets` has ", bags, " bags");
}

template <class Index, class Offset>
void require_sound(const BoundsJob<Index, Offset>& job) {
  const FirstBad bad = find_bad_cpu(job);
  if (bad.offset >= 0) {
    fail(kOp, "`offsets[", bad.offset, "]` is ", job.offsets[bad.offset],
         ", which decreases or does not fit ", job.count, " indices");
  }
  if (bad.index < 0) return;
  const int64_t table = table_of(job.bags, bad.index);
  fail(kOp, "`indices[", bad.index, "]` is ", job.indices[bad.index], " but table ", table, " has ",
       job.rows[table], " rows");
}

#ifdef PINWHEEL_GPU
/// Only FATAL needs the result on the host, so only it waits for the device.
template <class Index, class Offset>
void run_on_gpu(BoundsJob<Index, Offset> job, Mode mode, const Tensor& indices) {
  const GpuStreamGuard guard(indices);
  const int64_t blocks = gpu_offset_counts(job.bags.bags);
  const Tensor counts = empty_like_device(indices, {1 + blocks}, ScalarType::Long);
  int64_t* const bad_indices = static_cast<int64_t*>(counts.mutable_data_ptr());
  if (mode == Mode::kFatal) job.warnings = bad_indices;
  run_gpu(job, bad_indices + 1, guard.stream());
  if (mode != Mode::kFatal) return;
  const torch::stable::Device cpu(torch::headeronly::DeviceType::CPU);
  const Tensor read = torch::stable::to(counts, std::nullopt, std::nullopt, cpu);
  const int64_t* const bad = static_cast<const int64_t*>(read.const_data_ptr());
  const int64_t bad_offsets = std::accumulate(bad + 1, bad + 1 + blocks, int64_t{0});
  require(bad_offsets == 0, kOp, bad_offsets,
          " elements of `offsets` decrease or are out of range for the indices");
  require(bad[0] == 0, kOp, bad[0], " elements of `indices` are out of range for their tables");
}
#endif

template <class Index, class Offset>
void check_and_repair(const Tensor& rows, const Tensor& indices, const Tensor& offsets, Mode mode,
                      const Tensor& warning, const MaybeTensor& starts) {
  BoundsJob<Index, Offset> job;
  job.offsets = static_cast<Offset*>(offsets.mutable_data_ptr());
  job.indices = static_cast<Index*>(indices.mutable_data_ptr());
  job.count = indices.numel();
  job.rows = static_cast<const int64_t*>(rows.const_data_ptr());
  job.bags.tables = rows.numel();
  job.bags.bags = offsets.numel() - 1;
  job.bags.batch = job.bags.tables > 0 ? job.bags.bags / job.bags.tables : 0;
  job.bags.bag_starts = starts ? static_cast<const int32_t*>(starts->const_data_ptr()) : nullptr;
  job.bags.offsets = job.offsets;
  job.repair = mode != Mode::kFatal;
  if (mode == Mode::kWarning) job.warnings = static_cast<int64_t*>(warning.mutable_data_ptr());
  if (is_on_cpu(indices)) {
    if (mode == Mode::kFatal) return require_sound(job);
    return run_cpu(job);
  }
#ifdef PINWHEEL_GPU
  run_on_gpu(job, mode, indices);
#endif
}

void bounds_check(const Tensor& rows_in, const Tensor& indices, const Tensor& offsets,
                  int64_t bounds_check_mode, const Tensor& warning, const MaybeTensor& weights,
                  const MaybeTensor& B_offsets, int64_t max_B, const MaybeTensor& /*b_t_map*/,
                  int64_t /*info_B_num_bits*/, int64_t /*info_B_mask*/,
                  int64_t bounds_check_version, bool /*prefetch_pipeline*/) {
  require(bounds_check_mode >= 0 && bounds_check_mode <= 2, kOp,
          "`bounds_check_mode` must be 0 (fatal), 1 (warning) or 2 (ignore), not ",
          bounds_check_mode);
  require(bounds_check_version == 1 || bounds_check_version == 2, kOp,
          "`bounds_check_version` must be 1 or 2, not ", bounds_check_version);
  check_arguments(rows_in, indices, offsets, warning, weights, B_offsets);
  const Tensor rows = as_contiguous(rows_in);
  MaybeTensor starts;
  if (B_offsets) {
    require(max_B >= 0, kOp, "`max_B` must be given along with `B_offsets`");
    starts = as_contiguous(*B_offsets);
    if (is_on_cpu(rows)) {
      check_bag_starts(static_cast<const int32_t*>(starts->const_data_ptr()), rows.numel(),
                       offsets.numel() - 1, max_B);
    }
  }
  const Mode mode = static_cast<Mode>(bounds_check_mode);
  if (mode != Mode::kFatal) {
    announce_change(kOp, indices, "indices");
    announce_change(kOp, offsets, "offsets");
  }
  // The kernels clear the counter itself.
  if (mode == Mode::kWarning && (is_on_cpu(indices) || warning.numel() > 1)) {
    Tensor zeroed = warning;
    torch::stable::zero_(zeroed);
  }
  with_index_type(indices, [&](auto index) {
    with_index_type(offsets, [&](auto offset) {
      check_and_repair<decltype(index), decltype(offset)>(rows, indices, offsets, mode, warning,
                                                          starts);
    });
  });
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "bounds_check_indices(Tensor rows_per_table, Tensor(a!) indices, Tensor(b!) offsets, "
      "int bounds_check_mode, Tensor(c!) warning, Tensor? weights=None, "
      "Tensor? B_offsets=None, SymInt max_B=-1, Tensor? b_t_map=None, int info_B_num_bits=-1, "
      "int info_B_mask=-1, int bounds_check_version=1, bool prefetch_pipeline=False) -> ()");
}

void register_kernels(Library& m) {
  m.impl("bounds_check_indices", TORCH_BOX(&bounds_check));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
