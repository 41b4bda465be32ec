#include "kernels/permute.h"

#include <optional>
#include <tuple>

#include "base/register.h"
#include "ops/cumsum.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

constexpr const char* kOp = "permute_2D_sparse_data";
using Permuted = std::tuple<Tensor, Tensor, std::optional<Tensor>>;

const int64_t* numbers(const Tensor& tensor) {
  return static_cast<const int64_t*>(tensor.const_data_ptr());
}
int64_t* writable(const Tensor& tensor) {
  return static_cast<int64_t*>(tensor.mutable_data_ptr());
}

/// Everything about the permutation but the values: the output's lengths and which input segment
/// goes where.
struct Segments {
  Tensor lengths;      ///< of the output, [T', B]
  Tensor out_offsets;  ///< [T' + 1]
  Tensor starts;       ///< of each output feature in the input, [T']
  Tensor in_offsets;   ///< [T + 1]
};

template <class Index>
Segments permute_lengths(const Tensor& permute, const Tensor& lengths) {
  const int64_t features_in = lengths.size(0);
  const int64_t features_out = permute.numel();
  const Tensor sums = empty_like_device(lengths, {features_in}, ScalarType::Long);
  FeatureSumsJob<Index> sums_job;
  sums_job.lengths = static_cast<const Index*>(lengths.const_data_ptr());
  sums_job.sums = writable(sums);
  sums_job.features = features_in;
  sums_job.batch = lengths.size(1);
  if (features_in > 0) run(sums_job, lengths);

  const Tensor in_offsets = complete_cumsum(sums);
  const Tensor out_sums = empty_like_device(lengths, {features_out}, ScalarType::Long);
  const Tensor starts = empty_like_device(lengths, {features_out}, ScalarType::Long);
  const Tensor out_lengths =
      empty_like_device(lengths, {features_out, lengths.size(1)}, lengths.scalar_type());
  PermuteLengthsJob<Index> job;
  job.permute = numbers(permute);
  job.lengths = sums_job.lengths;
  job.sums = numbers(sums);
  job.starts = numbers(in_offsets);
  job.features_in = features_in;
  job.features_out = features_out;
  job.batch = lengths.size(1);
  job.out_lengths = static_cast<Index*>(out_lengths.mutable_data_ptr());
  job.out_sums = writable(out_sums);
  job.out_starts = writable(starts);
  if (features_out > 0) run(job, lengths);
  return {out_lengths, complete_cumsum(out_sums), starts, in_offsets};
}

Tensor permute_values(const Segments& segments, const Tensor& values, int64_t out_elements) {
  const Tensor out = empty_like_device(values, {out_elements}, values.scalar_type());
  if (out_elements == 0) return out;
  SegmentCopyJob job;
  job.offsets = numbers(segments.out_offsets);
  job.starts = numbers(segments.starts);
  job.segments = segments.starts.numel();
  job.in = values.const_data_ptr();
  job.out = out.mutable_data_ptr();
  job.in_elements = values.numel();
  job.out_elements = out_elements;
  job.element_bytes = static_cast<int64_t>(values.element_size());
  run(job, values);
  return out;
}

void check_arguments(const Tensor& permute, const Tensor& lengths, const Tensor& values,
                     const std::optional<Tensor>& weights) {
  require(permute.dim() == 1, kOp, "`permute` must be 1-D, its shape is ", shape_text(permute));
  require(lengths.dim() == 2, kOp, "`lengths` must be 2-D, its shape is ", shape_text(lengths));
  require(values.dim() == 1, kOp, "`values` must be 1-D, its shape is ", shape_text(values));
  require_index_dtype(kOp, permute, "permute");
  require_index_dtype(kOp, lengths, "lengths");
  require_same_device(kOp, permute, lengths, "lengths");
  require_same_device(kOp, permute, values, "values");
  if (!weights) return;
  require_same_device(kOp, permute, *weights, "weights");
  require(weights->dim() == 1 && weights->numel() == values.numel(), kOp,
          "`weights` must have the shape of `values`, ", shape_text(values), ", its shape is ",
          shape_text(*weights));
}

/// On the CPU the contents are read once here; a GPU build's kernels take what leads outside as
/// empty.
template <class Index>
void check_contents(const Tensor& permute, const Tensor& lengths) {
  for (int64_t t = 0; t < permute.numel(); ++t) {
    const int64_t feature = numbers(permute)[t];
    require(feature >= 0 && feature < lengths.size(0), kOp, "`permute[", t, "]` is ", feature,
            " but there are ", lengths.size(0), " features");
  }
  const Index* const at = static_cast<const Index*>(lengths.const_data_ptr());
  Index all = 0;
  for (int64_t i = 0; i < lengths.numel(); ++i) all |= at[i];
  require(all >= 0, kOp, "`lengths` holds a negative number");
}

int64_t output_elements(const Segments& segments, const Tensor& values,
                        const std::optional<int64_t>& given) {
  require(!given || *given >= 0, kOp, "`permuted_lengths_sum` is negative: ", given.value_or(0));
  if (!values.is_cpu()) {
    if (given) return *given;
    const torch::stable::Device cpu(torch::headeronly::DeviceType::CPU);
    const Tensor offsets = torch::stable::to(segments.out_offsets, std::nullopt, std::nullopt, cpu);
    return numbers(offsets)[offsets.numel() - 1];
  }
  const int64_t needed = numbers(segments.in_offsets)[segments.in_offsets.numel() - 1];
  require(needed <= values.numel(), kOp, "`lengths` add up to ", needed, " but `values` has ",
          values.numel());
  const int64_t sum = numbers(segments.out_offsets)[segments.out_offsets.numel() - 1];
  require(!given || *given == sum, kOp, "`permuted_lengths_sum` is ", given.value_or(0),
          " but the permuted lengths add up to ", sum);
  return sum;
}

Permuted permute_2d(const Tensor& permute_in, const Tensor& lengths_in, const Tensor& values_in,
                    const std::optional<Tensor>& weights, std::optional<int64_t> given_sum) {
  check_arguments(permute_in, lengths_in, values_in, weights);
  const Tensor permute = torch::stable::contiguous(torch::stable::to(permute_in, ScalarType::Long));
  const Tensor lengths = torch::stable::contiguous(lengths_in);
  const Tensor values = torch::stable::contiguous(values_in);
  const Segments segments = with_index_type(lengths, [&](auto index) {
    if (lengths.is_cpu()) check_contents<decltype(index)>(permute, lengths);
    return permute_lengths<decltype(index)>(permute, lengths);
  });
  const int64_t elements = output_elements(segments, values, given_sum);
  std::optional<Tensor> out_weights;
  if (weights) {
    out_weights = permute_values(segments, torch::stable::contiguous(*weights), elements);
  }
  return {segments.lengths, permute_values(segments, values, elements), out_weights};
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "permute_2D_sparse_data(Tensor permute, Tensor lengths, Tensor values, Tensor? weights=None, "
      "SymInt? permuted_lengths_sum=None) -> (Tensor, Tensor, Tensor?)");
}

void register_kernels(Library& m) {
  m.impl("permute_2D_sparse_data", TORCH_BOX(&permute_2d));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
