#include "jobs/pack_segments.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

#include "base/register.h"
#include "jobs/jagged.h"
#include "ops/cumsum.h"
#include "ops/padding.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

/// Where segments start, as int64: the sum of int32 lengths may overflow int32. On the CPU lengths
/// are checked here, in one pass; GPU kernels treat out-of-range segments as empty.
template <class Index>
std::vector<int64_t> cpu_offsets(const char* op, const Tensor& lengths, int64_t rows) {
  const int64_t segments = lengths.numel();
  const Index* const length = static_cast<const Index*>(lengths.const_data_ptr());
  std::vector<int64_t> offsets(segments + 1);
  for (int64_t s = 0; s < segments; ++s) {
    require(length[s] >= 0, op, "`lengths[", s, "]` is negative: ", length[s]);
    // Checked one by one: their sum might overflow.
    const int64_t left = rows - offsets[s];
    require(length[s] <= left, op, "`lengths[", s, "]` is ", length[s], " but only ", left,
            " of the ", rows, " rows are left");
    offsets[s + 1] = offsets[s] + length[s];
  }
  return offsets;
}

/// Segments of `rows` rows, checked.
struct Segments {
  Tensor lengths;
  std::vector<int64_t> cpu_offsets;  ///< creating a tensor would take longer than filling it
  Tensor gpu_offsets;
  JaggedView<int64_t> view;  ///< its offsets are one of the two
};

Segments check_segments(const char* op, const Tensor& data, const Tensor& lengths, int64_t rows,
                        int64_t max_length) {
  require(lengths.dim() == 1, op, "`lengths` must be 1-D, got shape ", shape_text(lengths));
  require_index_dtype(op, lengths, "lengths");
  require_same_device(op, data, lengths, "lengths");
  require(max_length >= 0, op, "`max_length` is negative: ", max_length);
  Segments segments;
  segments.lengths = as_contiguous(lengths);
  if (is_on_cpu(lengths)) {
    segments.cpu_offsets = with_index_type(lengths, [&](auto index) {
      return cpu_offsets<decltype(index)>(op, segments.lengths, rows);
    });
    segments.view.offsets[0] = segments.cpu_offsets.data();
  } else {
    segments.gpu_offsets = complete_cumsum(torch::stable::to(segments.lengths, ScalarType::Long));
    segments.view.offsets[0] = static_cast<const int64_t*>(segments.gpu_offsets.const_data_ptr());
  }
  segments.view.depth = 1;
  segments.view.value_rows = rows;
  segments.view.groups[0] = lengths.numel();
  segments.view.max_length[0] = max_length;
  return segments;
}

/// Bytes of one row of `tensor`; a row is its dimensions from `first` on.
int64_t row_bytes(const Tensor& tensor, int64_t first) {
  int64_t bytes = static_cast<int64_t>(tensor.element_size());
  for (int64_t d = first; d < tensor.dim(); ++d) bytes *= tensor.size(d);
  return bytes;
}

Tensor packed(const char* op, const Tensor& t_in, const Segments& segments, double padding) {
  const Tensor rows = as_contiguous(t_in);
  const int64_t max_length = segments.view.max_length[0];
  std::vector<int64_t> sizes = {segments.view.groups[0], max_length};
  sizes.insert(sizes.end(), rows.sizes().begin() + 1, rows.sizes().end());
  JaggedToDenseJob<int64_t> job;
  fill_pattern(op, "t_in", rows.scalar_type(), padding, job.padding);
  const Tensor out = empty_like_device(rows, sizes, rows.scalar_type());
  if (out.numel() == 0) return out;
  job.jagged = segments.view;
  job.values = rows.const_data_ptr();
  job.dense = out.mutable_data_ptr();
  job.row_bytes = row_bytes(rows, 1);
  job.dense_rows = segments.view.groups[0] * max_length;
  run(job, rows);
  return out;
}

Tensor presence_mask(const Segments& segments) {
  const int64_t max_length = segments.view.max_length[0];
  const Tensor mask =
      empty_like_device(segments.lengths, {segments.lengths.numel(), max_length}, ScalarType::Bool);
  if (mask.numel() == 0) return mask;
  with_index_type(segments.lengths, [&](auto index) {
    PresenceJob<decltype(index)> job;
    job.lengths = static_cast<const decltype(index)*>(segments.lengths.const_data_ptr());
    job.segments = segments.lengths.numel();
    job.max_length = max_length;
    job.out = static_cast<bool*>(mask.mutable_data_ptr());
    run(job, mask);
  });
  return mask;
}

Segments check_rows(const char* op, const Tensor& t_in, const Tensor& lengths, int64_t max_length) {
  require(t_in.dim() >= 1, op, "`t_in` must have at least 1 dimension");
  return check_segments(op, t_in, lengths, t_in.size(0), max_length);
}

Tensor pack(const Tensor& t_in, const Tensor& lengths, int64_t max_length) {
  const char* const op = "pack_segments";
  return packed(op, t_in, check_rows(op, t_in, lengths, max_length), 0.0);
}

using Packed = std::tuple<Tensor, std::optional<Tensor>>;

Packed pack_v2(const Tensor& t_in, const Tensor& lengths, int64_t max_length, bool pad_minf,
               bool return_presence_mask) {
  const char* const op = "pack_segments_v2";
  const Segments segments = check_rows(op, t_in, lengths, max_length);
  const ScalarType dtype = t_in.scalar_type();
  require(!pad_minf || dtype == ScalarType::Float || dtype == ScalarType::Half ||
              dtype == ScalarType::BFloat16 || dtype == ScalarType::Double,
          op, "`pad_minf` requires a floating-point `t_in`, not ",
          torch::headeronly::toString(dtype));
  std::optional<Tensor> mask;
  if (return_presence_mask) mask = presence_mask(segments);
  return {packed(op, t_in, segments, pad_minf ? -HUGE_VAL : 0.0), mask};
}

Tensor backward(const Tensor& data_in, const Tensor& lengths, int64_t total_length,
                int64_t max_length) {
  const char* const op = "pack_segments_backward";
  require(data_in.dim() >= 2, op, "`data` must have at least 2 dimensions, got shape ",
          shape_text(data_in));
  require(total_length >= 0, op, "`total_length` is negative: ", total_length);
  const Segments segments = check_segments(op, data_in, lengths, total_length, max_length);
  require(data_in.size(0) == lengths.numel() && data_in.size(1) == max_length, op,
          "`data` must have the shape [", lengths.numel(), ", ", max_length, ", ...], got shape ",
          shape_text(data_in));
  const Tensor data = as_contiguous(data_in);
  std::vector<int64_t> sizes = {total_length};
  sizes.insert(sizes.end(), data.sizes().begin() + 2, data.sizes().end());
  const Tensor out = empty_like_device(data, sizes, data.scalar_type());
  if (out.numel() == 0) return out;
  DenseToJaggedJob<int64_t> job;
  job.jagged = segments.view;
  job.dense = data.const_data_ptr();
  job.values = out.mutable_data_ptr();
  job.row_bytes = row_bytes(data, 2);
  run(job, data);
  return out;
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def("pack_segments(Tensor t_in, Tensor lengths, SymInt max_length) -> Tensor");
  m.def(
      "pack_segments_v2(Tensor t_in, Tensor lengths, SymInt max_length, bool pad_minf=False, "
      "bool return_presence_mask=False) -> (Tensor packed_segments, Tensor? presence_mask)");
  m.def(
      "pack_segments_backward(Tensor data, Tensor lengths, SymInt total_length, "
      "SymInt max_length) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("pack_segments", TORCH_BOX(&pack));
  m.impl("pack_segments_v2", TORCH_BOX(&pack_v2));
  m.impl("pack_segments_backward", TORCH_BOX(&backward));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
