#include "jobs/ranges.h"

#include <limits>

#include "base/register.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

template <class Index>
const Index* numbers(const Tensor& tensor) {
  return static_cast<const Index*>(tensor.const_data_ptr());
}

/// Fails at the first element of `tensor` that is less than the one before it; the first one must
/// be at least `least`, the last one at most `most`. CPU only.
template <class Index>
void check_rising(const char* op, const char* name, const Tensor& tensor, int64_t least,
                  int64_t most) {
  const Index* const at = numbers<Index>(tensor);
  const int64_t count = tensor.numel();
  if (count == 0) return;
  require(at[0] >= least, op, "`", name, "[0]` is ", at[0], ", less than ", least);
  Index bad = 0;
  for (int64_t i = 1; i < count; ++i) bad |= static_cast<Index>(at[i] < at[i - 1]);
  for (int64_t i = 1; bad != 0 && i < count; ++i) {
    require(at[i] >= at[i - 1], op, "`", name, "` decreases at position ", i, ", from ", at[i - 1],
            " to ", at[i]);
  }
  require(at[count - 1] <= most, op, "`", name, "[", count - 1, "]` is ", at[count - 1],
          ", more than ", most);
}

Tensor offsets_range(const Tensor& offsets_in, int64_t range_size) {
  const char* const op = "offsets_range";
  require(offsets_in.dim() == 1, op, "`offsets` must be 1-D, got shape ", shape_text(offsets_in));
  require_index_dtype(op, offsets_in, "offsets");
  require(range_size >= 0, op, "`range_size` is negative: ", range_size);
  require(range_size == 0 || offsets_in.numel() > 0, op, "`offsets` is empty but `range_size` is ",
          range_size);
  const Tensor offsets = as_contiguous(offsets_in);
  const Tensor out = empty_like_device(offsets, {range_size}, offsets.scalar_type());
  with_index_type(offsets, [&](auto index) {
    using Index = decltype(index);
    const Index* const starts = numbers<Index>(offsets);
    if (is_on_cpu(offsets)) check_rising<Index>(op, "offsets", offsets, 0, range_size);
    if (range_size == 0) return;
    if (is_on_cpu(offsets)) {
      require(starts[0] == 0, op, "`offsets[0]` must be 0, not ", starts[0]);
    }
    OffsetsRangeJob<Index> job;
    job.starts = starts;
    job.count = offsets.numel();
    job.out = static_cast<Index*>(out.mutable_data_ptr());
    job.size = range_size;
    run(job, offsets);
  });
  return out;
}

SumDtype sum_dtype(const char* op, const Tensor& values) {
  switch (values.scalar_type()) {
    case ScalarType::Float:
      return SumDtype::kFloat32;
    case ScalarType::Half:
      return SumDtype::kFloat16;
    case ScalarType::BFloat16:
      return SumDtype::kBFloat16;
    case ScalarType::Double:
      return SumDtype::kFloat64;
    case ScalarType::Int:
      return SumDtype::kInt32;
    case ScalarType::Long:
      return SumDtype::kInt64;
    default:
      fail(op, "`values` must hold float32, float16, bfloat16, float64, int32 or int64, not ",
           torch::headeronly::toString(values.scalar_type()));
  }
}

Tensor segment_sum_csr(int64_t batch_size, const Tensor& csr_seg, const Tensor& values_in) {
  const char* const op = "segment_sum_csr";
  require(batch_size >= 0, op, "`batch_size` is negative: ", batch_size);
  require(values_in.dim() == 1, op, "`values` must be 1-D, got shape ", shape_text(values_in));
  require(csr_seg.dim() == 1 && csr_seg.numel() >= 1, op,
          "`csr_seg` must be 1-D with at least one element, got shape ", shape_text(csr_seg));
  require_index_dtype(op, csr_seg, "csr_seg");
  require_same_device(op, csr_seg, values_in, "values");
  const SumDtype dtype = sum_dtype(op, values_in);
  const Tensor offsets = as_contiguous(csr_seg);
  const Tensor values = as_contiguous(values_in);
  const int64_t segments = offsets.numel() - 1;
  const Tensor out = empty_like_device(values, {segments}, values.scalar_type());
  with_index_type(offsets, [&](auto index) {
    using Index = decltype(index);
    if (is_on_cpu(offsets)) {
      // Units without values end nowhere.
      const int64_t units =
          batch_size > 0 ? values.numel() / batch_size : std::numeric_limits<int64_t>::max();
      check_rising<Index>(op, "csr_seg", offsets, 0, units);
    }
    if (segments == 0) return;
    SegmentSumJob<Index> job;
    job.dtype = dtype;
    job.offsets = numbers<Index>(offsets);
    job.segments = segments;
    job.unit = batch_size;
    job.values = values.const_data_ptr();
    job.size = values.numel();
    job.out = out.mutable_data_ptr();
    run(job, values);
  });
  return out;
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def("offsets_range(Tensor offsets, SymInt range_size) -> Tensor");
  m.def("segment_sum_csr(SymInt batch_size, Tensor csr_seg, Tensor values) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("offsets_range", TORCH_BOX(&offsets_range));
  m.impl("segment_sum_csr", TORCH_BOX(&segment_sum_csr));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
