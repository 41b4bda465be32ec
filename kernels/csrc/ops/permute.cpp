#include "jobs/permute.h"

#include <limits>
#include <optional>
#include <tuple>

#include "base/register.h"
#include "ops/jagged_offsets.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

using Permuted = std::tuple<Tensor, Tensor, std::optional<Tensor>>;

const int64_t* numbers(const Tensor& tensor) {
  return static_cast<const int64_t*>(tensor.const_data_ptr());
}
int64_t* writable(const Tensor& tensor) {
  return static_cast<int64_t*>(tensor.mutable_data_ptr());
}

Tensor as_long(const Tensor& tensor) {
  if (tensor.scalar_type() == ScalarType::Long) return as_contiguous(tensor);
  return torch::stable::contiguous(torch::stable::to(tensor, ScalarType::Long));
}

/// The operators differ in the rows of `lengths`: one length per sample of a feature, or one
/// length.
struct Operator {
  const char* name;
  int64_t dim;  ///< of `lengths`
};

/// Everything about the permutation except the values: the output's lengths and where each input
/// segment goes.
struct Segments {
  Tensor lengths;  ///< of the output, [T', B] or [T']
  Tensor numbers;  ///< holds all arrays below; its last number is the last of `out_offsets`
  const int64_t* in_offsets = nullptr;   ///< [T + 1]
  const int64_t* out_offsets = nullptr;  ///< [T' + 1]
  const int64_t* starts = nullptr;       ///< where segments start in the input; see SegmentCopyJob
  const int64_t* sources = nullptr;      ///< see SegmentCopyJob
  int64_t features_in = 0;
  int64_t features_out = 0;
};

Tensor longs(const Tensor& like, int64_t count) {
  return empty_like_device(like, {count}, ScalarType::Long);
}

/// Arrays that follow each other in one tensor.
class Arrays {
 public:
  explicit Arrays(int64_t* first) : next_(first) {}
  int64_t* take(int64_t count) {
    int64_t* const taken = next_;
    next_ += count;
    return taken;
  }

 private:
  int64_t* next_;
};

#ifdef PINWHEEL_GPU
/// Fills `segments`, whose lengths are allocated.
template <class Index, class Entry>
void permute_on_gpu(PermuteLengthsJob<Index, Entry> job, const Tensor& lengths,
                    Segments& segments) {
  const GpuStreamGuard guard(lengths);
  const bool single = job.batch == 1;
  const int64_t in = job.features_in;
  const int64_t out = job.features_out;
  job.parts = gpu_permute_parts(job.batch);
  job.chunk = gpu_permute_chunk(std::max(in, out));
  const int64_t in_chunks = in / job.chunk + 1;
  const int64_t out_chunks = out / job.chunk + 1;
  const int64_t sums = single ? 0 : in * job.parts;
  segments.numbers = longs(lengths, in_chunks + out_chunks + out + sums + in + 1 + out + 1);
  Arrays arrays(writable(segments.numbers));
  job.in_totals = arrays.take(in_chunks);
  job.out_totals = arrays.take(out_chunks);
  job.sources = arrays.take(out);
  job.sums = arrays.take(sums);
  SegmentOffsetsJob<int64_t> offsets;
  offsets.chunk = job.chunk;
  offsets.in = {job.sums, nullptr, in, job.parts, job.in_totals, arrays.take(in + 1)};
  offsets.out = {job.sums, job.sources, out, job.parts, job.out_totals, arrays.take(out + 1)};
  run_gpu(job, guard.stream());
  if (single) {
    SegmentOffsetsJob<Index> of_lengths;
    of_lengths.chunk = job.chunk;
    of_lengths.in = {job.lengths, nullptr, in, 1, job.in_totals, offsets.in.offsets};
    of_lengths.out = {job.out_lengths, nullptr, out, 1, job.out_totals, offsets.out.offsets};
    run_gpu(of_lengths, guard.stream());
  } else {
    run_gpu(offsets, guard.stream());
  }
  segments.in_offsets = offsets.in.offsets;
  segments.out_offsets = offsets.out.offsets;
  segments.starts = offsets.in.offsets;
  segments.sources = job.sources;
}
#endif

template <class Index>
void permute_on_cpu(const Tensor& permute, const Tensor& lengths, Segments& segments) {
  PermutePlanJob<Index> job;
  job.permute = numbers(permute);
  job.lengths = static_cast<const Index*>(lengths.const_data_ptr());
  job.features_in = segments.features_in;
  job.features_out = segments.features_out;
  job.batch = lengths.dim() == 2 ? lengths.size(1) : 1;
  segments.numbers = longs(lengths, job.features_in + 1 + 2 * job.features_out + 1);
  Arrays arrays(writable(segments.numbers));
  job.in_offsets = arrays.take(job.features_in + 1);
  job.out_starts = arrays.take(job.features_out);
  job.out_offsets = arrays.take(job.features_out + 1);
  job.out_lengths = static_cast<Index*>(segments.lengths.mutable_data_ptr());
  run_cpu(job);
  segments.in_offsets = job.in_offsets;
  segments.out_offsets = job.out_offsets;
  segments.starts = job.out_starts;
}

template <class Index>
Segments permute_lengths(const Tensor& permute, const Tensor& lengths) {
  Segments segments;
  segments.features_in = lengths.size(0);
  segments.features_out = permute.numel();
  std::vector<int64_t> sizes(lengths.sizes().begin(), lengths.sizes().end());
  sizes[0] = segments.features_out;
  segments.lengths = empty_like_device(lengths, sizes, lengths.scalar_type());
  if (is_on_cpu(lengths)) {
    permute_on_cpu<Index>(permute, lengths, segments);
    return segments;
  }
#ifdef PINWHEEL_GPU
  with_index_type(permute, [&](auto entry) {
    using Entry = decltype(entry);
    PermuteLengthsJob<Index, Entry> job;
    job.permute = static_cast<const Entry*>(permute.const_data_ptr());
    job.lengths = static_cast<const Index*>(lengths.const_data_ptr());
    job.features_in = segments.features_in;
    job.features_out = segments.features_out;
    job.batch = lengths.dim() == 2 ? lengths.size(1) : 1;
    job.out_lengths = static_cast<Index*>(segments.lengths.mutable_data_ptr());
    permute_on_gpu(job, lengths, segments);
  });
#endif
  return segments;
}

SegmentCopyJob copy_job(const Segments& segments, const Tensor& in, const Tensor& out) {
  SegmentCopyJob job;
  job.offsets = segments.out_offsets;
  job.starts = segments.starts;
  job.sources = segments.sources;
  job.segments = segments.features_out;
  job.in = in.const_data_ptr();
  job.out = out.mutable_data_ptr();
  job.in_elements = in.size(0);
  job.out_elements = out.size(0);
  job.columns = in.dim() == 2 ? in.size(1) : 1;
  job.word_bytes = static_cast<int64_t>(in.element_size());
  return job;
}

void copy_segments(const SegmentCopyJob& values, const SegmentCopyJob* weights,
                   const Tensor& data) {
  if (values.out_elements == 0) return;
  if (is_on_cpu(data)) return run_cpu(values, weights);
#ifdef PINWHEEL_GPU
  const GpuStreamGuard guard(data);
  run_gpu(values, weights, guard.stream());
#endif
}

void check_arguments(const Operator& op, const Tensor& permute, const Tensor& lengths,
                     const Tensor& values, const std::optional<Tensor>& weights) {
  require(permute.dim() == 1, op.name, "`permute` must be 1-D, got shape ", shape_text(permute));
  require(lengths.dim() == op.dim, op.name, "`lengths` must be ", op.dim, "-D, got shape ",
          shape_text(lengths));
  require(values.dim() == 1, op.name, "`values` must be 1-D, got shape ", shape_text(values));
  require_index_dtype(op.name, permute, "permute");
  require_index_dtype(op.name, lengths, "lengths");
  require_same_device(op.name, permute, lengths, "lengths");
  require_same_device(op.name, permute, values, "values");
  if (!weights) return;
  require_same_device(op.name, permute, *weights, "weights");
  const bool fits = weights->dim() == 1 || weights->dim() == 2;
  require(fits && weights->size(0) == values.numel(), op.name,
          "`weights` must have the shape of `values`, ", shape_text(values),
          ", or that and columns, got shape ", shape_text(*weights));
}

/// On the CPU the contents are checked here, in one pass; GPU kernels treat what is out of range as
/// empty.
template <class Index>
void check_contents(const Operator& op, const Tensor& permute, const Tensor& lengths,
                    int64_t values) {
  const int64_t* const chosen = numbers(permute);
  const int64_t features = lengths.size(0);
  const int64_t count = permute.numel();
  for (int64_t t = 0; t < count; ++t) {
    if (chosen[t] >= 0 && chosen[t] < features) continue;
    fail(op.name, "`permute[", t, "]` is ", chosen[t], " but there are ", features, " features");
  }
  const Index* const at = static_cast<const Index*>(lengths.const_data_ptr());
  const int64_t all_lengths = lengths.numel();
  Index all = 0;
  for (int64_t i = 0; i < all_lengths; ++i) all |= at[i];
  if (all >= 0 && all <= std::numeric_limits<int32_t>::max()) return;
  // Lengths so large that their sum might overflow.
  for (int64_t i = 0; i < all_lengths; ++i) {
    require(at[i] >= 0, op.name, "`lengths` has a negative element, ", at[i], ", at ", i);
    require(at[i] <= values, op.name, "`lengths` holds ", at[i], " at ", i, " but `values` has ",
            values);
  }
}

int64_t output_elements(const Operator& op, const Segments& segments, const Tensor& values,
                        const std::optional<int64_t>& given) {
  require(!given || *given >= 0, op.name,
          "`permuted_lengths_sum` is negative: ", given.value_or(0));
  if (!is_on_cpu(values)) {
    if (given) return *given;
    return last_number(segments.numbers);
  }
  const int64_t needed = segments.in_offsets[segments.features_in];
  require(needed <= values.numel(), op.name, "`lengths` add up to ", needed, " but `values` has ",
          values.numel());
  const int64_t sum = segments.out_offsets[segments.features_out];
  require(!given || *given == sum, op.name, "`permuted_lengths_sum` is ", given.value_or(0),
          " but the permuted lengths add up to ", sum);
  return sum;
}

Permuted permute_sparse(const Operator& op, const Tensor& permute_in, const Tensor& lengths_in,
                        const Tensor& values_in, const std::optional<Tensor>& weights,
                        std::optional<int64_t> given_sum) {
  check_arguments(op, permute_in, lengths_in, values_in, weights);
  // The kernels of a GPU read either type.
  const Tensor permute = is_on_cpu(permute_in) ? as_long(permute_in) : as_contiguous(permute_in);
  const Tensor lengths = as_contiguous(lengths_in);
  const Tensor values = as_contiguous(values_in);
  const Segments segments = with_index_type(lengths, [&](auto index) {
    if (is_on_cpu(lengths)) check_contents<decltype(index)>(op, permute, lengths, values.numel());
    return permute_lengths<decltype(index)>(permute, lengths);
  });
  const int64_t elements = output_elements(op, segments, values, given_sum);
  const Tensor out = empty_like_device(values, {elements}, values.scalar_type());
  const SegmentCopyJob job = copy_job(segments, values, out);
  if (!weights) {
    copy_segments(job, nullptr, values);
    return {segments.lengths, out, std::nullopt};
  }
  const Tensor weights_in = as_contiguous(*weights);
  std::vector<int64_t> sizes(weights_in.sizes().begin(), weights_in.sizes().end());
  sizes[0] = elements;
  const Tensor weights_out = empty_like_device(weights_in, sizes, weights_in.scalar_type());
  const SegmentCopyJob weights_job = copy_job(segments, weights_in, weights_out);
  copy_segments(job, weights_job.columns == 0 ? nullptr : &weights_job, values);
  return {segments.lengths, out, weights_out};
}

Permuted permute_1d(const Tensor& permute, const Tensor& lengths, const Tensor& values,
                    const std::optional<Tensor>& weights, std::optional<int64_t> given_sum) {
  const Operator op{"permute_1D_sparse_data", 1};
  return permute_sparse(op, permute, lengths, values, weights, given_sum);
}

Permuted permute_2d(const Tensor& permute, const Tensor& lengths, const Tensor& values,
                    const std::optional<Tensor>& weights, std::optional<int64_t> given_sum) {
  const Operator op{"permute_2D_sparse_data", 2};
  return permute_sparse(op, permute, lengths, values, weights, given_sum);
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "permute_1D_sparse_data(Tensor permute, Tensor lengths, Tensor values, Tensor? weights=None, "
      "SymInt? permuted_lengths_sum=None) -> (Tensor, Tensor, Tensor?)");
  m.def(
      "permute_2D_sparse_data(Tensor permute, Tensor lengths, Tensor values, Tensor? weights=None, "
      "SymInt? permuted_lengths_sum=None) -> (Tensor, Tensor, Tensor?)");
}

void register_kernels(Library& m) {
  m.impl("permute_1D_sparse_data", TORCH_BOX(&permute_1d));
  m.impl("permute_2D_sparse_data", TORCH_BOX(&permute_2d));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
