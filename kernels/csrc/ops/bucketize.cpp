#include "jobs/bucketize.h"

#include <limits>
#include <new>
#include <optional>
#include <tuple>

#include "base/register.h"
#include "ops/cumsum.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

constexpr const char* kOp = "block_bucketize_sparse_features";
using MaybeTensor = std::optional<Tensor>;
using Bucketized = std::tuple<Tensor, Tensor, MaybeTensor, MaybeTensor, MaybeTensor>;

/// The operator's arguments, in the order of the schema.
struct Arguments {
  Tensor lengths;
  Tensor indices;
  bool bucketize_pos = false;
  bool sequence = false;
  Tensor block_sizes;
  int64_t my_size = 1;
  MaybeTensor weights;
  MaybeTensor batch_sizes;
  int64_t max_B = -1;
  std::vector<Tensor> bounds;
  bool keep_all = false;
  MaybeTensor total_num_blocks;
  MaybeTensor keep_index;
};

Tensor as_long(const Tensor& tensor) {
  if (tensor.scalar_type() == ScalarType::Long) return as_contiguous(tensor);
  return torch::stable::contiguous(torch::stable::to(tensor, ScalarType::Long));
}

const int64_t* numbers(const Tensor& tensor) {
  return static_cast<const int64_t*>(tensor.const_data_ptr());
}

void check_vector(const Tensor& first, const Tensor& tensor, const char* name, int64_t count) {
  require_same_device(kOp, first, tensor, name);
  require(tensor.dim() == 1, kOp, "`", name, "` must be 1-D, got shape ", shape_text(tensor));
  require(count < 0 || tensor.numel() == count, kOp, "`", name, "` must have ", count,
          " elements, not ", tensor.numel());
}

void check_indices(const char* name, const Tensor& first, const Tensor& tensor, int64_t count) {
  check_vector(first, tensor, name, count);
  require_index_dtype(kOp, tensor, name);
}

void check_arguments(const Arguments& a) {
  check_indices("lengths", a.lengths, a.lengths, -1);
  check_indices("indices", a.lengths, a.indices, -1);
  check_indices("block_sizes", a.lengths, a.block_sizes, -1);
  const int64_t features = a.block_sizes.numel();
  const int64_t bags = a.lengths.numel();
  require(a.my_size >= 1 && a.my_size <= std::numeric_limits<int32_t>::max(), kOp,
          "`my_size` must be at least 1 and fit int32, not ", a.my_size);
  require(features > 0 || bags == 0, kOp, "`lengths` has ", bags,
          " elements but `block_sizes` has none");
  if (a.batch_sizes) {
    check_indices("batch_size_per_feature", a.lengths, *a.batch_sizes, features);
  } else {
    require(features == 0 || bags % features == 0, kOp, "`lengths` has ", bags,
            " elements, which is not a multiple of the ", features, " of `block_sizes`");
  }
  if (a.weights) {
    check_vector(a.lengths, *a.weights, "weights", a.indices.numel());
    require(a.weights->element_size() <= 8, kOp, "`weights` has elements of more than 8 bytes");
  }
  if (a.total_num_blocks) {
    check_indices("total_num_blocks", a.lengths, *a.total_num_blocks, features);
  }
  if (a.keep_index) {
    check_vector(a.lengths, *a.keep_index, "keep_orig_idx_per_feature", features);
    require(a.keep_index->scalar_type() == ScalarType::Bool, kOp,
            "`keep_orig_idx_per_feature` must hold bool, not ",
            torch::headeronly::toString(a.keep_index->scalar_type()));
  }
  require(a.bounds.empty() || static_cast<int64_t>(a.bounds.size()) == features, kOp,
          "`block_bucketize_pos` must list one tensor for each of the ", features,
          " features, not ", a.bounds.size());
  for (const Tensor& bounds : a.bounds) {
    check_indices("block_bucketize_pos", a.lengths, bounds, -1);
    require(bounds.numel() > 0, kOp, "a tensor of `block_bucketize_pos` is empty");
  }
}

/// On the CPU the contents are checked here, in one pass; GPU kernels tolerate any contents.
template <class Length>
void check_lengths(const Tensor& lengths, int64_t count) {
  const Length* const at = static_cast<const Length*>(lengths.const_data_ptr());
  const int64_t bags = lengths.numel();
  Length all = 0;
  for (int64_t i = 0; i < bags; ++i) all |= at[i];
  const bool small = all >= 0 && all <= std::numeric_limits<int32_t>::max();
  // Otherwise their sum might overflow.
  for (int64_t i = 0; i < bags && !small; ++i) {
    require(at[i] >= 0, kOp, "`lengths[", i, "]` is negative: ", at[i]);
    require(at[i] <= count, kOp, "`lengths[", i, "]` is ", at[i], " but `indices` has ", count);
  }
  int64_t sum = 0;
  for (int64_t i = 0; i < bags; ++i) sum += at[i];
  require(sum == count, kOp, "`lengths` add up to ", sum, " but `indices` has ", count);
}

void check_blocks(const int64_t* sizes, const int64_t* blocks, int64_t features, int64_t ranks) {
  for (int64_t t = 0; t < features; ++t) {
    require(sizes[t] >= 0, kOp, "`block_sizes[", t, "]` is negative: ", sizes[t]);
    const int64_t count = blocks == nullptr ? ranks : blocks[t];
    require(count < 1 || sizes[t] <= std::numeric_limits<int64_t>::max() / count, kOp, count,
            " blocks of `block_sizes[", t, "]` = ", sizes[t], " rows overflow int64");
    if (blocks == nullptr) continue;
    require(blocks[t] > 0 && blocks[t] % ranks == 0, kOp, "`total_num_blocks[", t,
            "]` must be a positive multiple of `my_size` ", ranks, ", not ", blocks[t]);
  }
}

void check_bounds(const Tensor& bounds, int64_t t) {
  const int64_t* const at = numbers(bounds);
  require(at[0] == 0, kOp, "`block_bucketize_pos[", t, "]` must start with 0, not ", at[0]);
  for (int64_t i = 1; i < bounds.numel(); ++i) {
    require(at[i] >= at[i - 1], kOp, "`block_bucketize_pos[", t, "]` decreases at ", i);
  }
}

/// Where each feature's bags start, [T + 1]. Not needed on a GPU if all batches have one size.
MaybeTensor bag_starts_of(const Arguments& a) {
  const int64_t features = a.block_sizes.numel();
  if (a.batch_sizes) {
    const Tensor sizes = as_long(*a.batch_sizes);
    const Tensor starts = complete_cumsum(sizes);
    if (!is_on_cpu(starts)) return starts;
    for (int64_t t = 0; t < features; ++t) {
      const int64_t batch = numbers(sizes)[t];
      require(batch >= 0, kOp, "`batch_size_per_feature[", t, "]` is negative: ", batch);
      require(batch <= a.lengths.numel(), kOp, "`batch_size_per_feature[", t, "]` is ", batch,
              " but `lengths` has ", a.lengths.numel());
      require(a.max_B < 0 || batch <= a.max_B, kOp, "`batch_size_per_feature[", t, "]` is ", batch,
              " but `max_B` is ", a.max_B);
    }
    const int64_t bags = numbers(starts)[features];
    require(bags == a.lengths.numel(), kOp, "`batch_size_per_feature` adds up to ", bags,
            " but `lengths` has ", a.lengths.numel());
    return starts;
  }
  if (!is_on_cpu(a.lengths)) return std::nullopt;
  const Tensor starts = empty_like_device(a.lengths, {features + 1}, ScalarType::Long);
  int64_t* const at = static_cast<int64_t*>(starts.mutable_data_ptr());
  const int64_t batch = features > 0 ? a.lengths.numel() / features : 0;
  for (int64_t t = 0; t <= features; ++t) at[t] = t * batch;
  return starts;
}

/// The kernels' BucketFeature structs, as a tensor of bytes, and the bounds that they point to.
struct Features {
  Tensor bytes;
  std::vector<Tensor> bounds;
};

/// On a GPU, one launch per BucketFeaturesJob::kMost features.
Features features_of(const Arguments& a) {
  const int64_t features = a.block_sizes.numel();
  const Tensor sizes = as_long(a.block_sizes);
  MaybeTensor blocks;
  MaybeTensor keep;
  if (a.total_num_blocks) blocks = as_long(*a.total_num_blocks);
  if (a.keep_index) keep = as_contiguous(*a.keep_index);
  std::vector<Tensor> bounds;
  for (const Tensor& of_feature : a.bounds) bounds.push_back(as_long(of_feature));
  if (is_on_cpu(a.lengths)) {
    check_blocks(numbers(sizes), blocks ? numbers(*blocks) : nullptr, features, a.my_size);
    for (size_t t = 0; t < bounds.size(); ++t) check_bounds(bounds[t], static_cast<int64_t>(t));
  }
  const int64_t bytes = features * static_cast<int64_t>(sizeof(BucketFeature));
  const Tensor out = empty_like_device(a.lengths, {bytes}, ScalarType::Byte);
  BucketFeaturesJob job;
  job.ranks = a.my_size;
  job.block_sizes = numbers(sizes);
  job.blocks = blocks ? numbers(*blocks) : nullptr;
  job.keep_index = keep ? static_cast<const bool*>(keep->const_data_ptr()) : nullptr;
  job.keep_all = a.keep_all;
  job.out = static_cast<BucketFeature*>(out.mutable_data_ptr());
  for (; job.first < features; job.first += job.count) {
    job.count = std::min(BucketFeaturesJob::kMost, features - job.first);
    for (int64_t k = 0; k < job.count && !bounds.empty(); ++k) {
      job.bounds[k] = numbers(bounds[job.first + k]);
      job.bound_counts[k] = bounds[job.first + k].numel();
    }
    run(job, a.lengths);
  }
  return {out, bounds};
}

#ifdef PINWHEEL_GPU
template <class Index, class Length>
void run_on_gpu(BucketizeJob<Index, Length> job, const Tensor& lengths, const Tensor& out_lengths) {
  const GpuStreamGuard guard(lengths);
  const Tensor offsets = complete_cumsum(lengths);
  job.offsets = static_cast<const Length*>(offsets.const_data_ptr());
  run_gpu_counts(job, guard.stream());
  const Tensor out_offsets = complete_cumsum(out_lengths);
  job.out_offsets = static_cast<Length*>(out_offsets.mutable_data_ptr());
  run_gpu_scatter(job, guard.stream());
}
#endif

template <class Index, class Length>
void run_on_cpu(const BucketizeJob<Index, Length>& job) {
  try {
    run_cpu(job);
  } catch (const std::bad_alloc&) {  // each thread has a counter per rank
    fail(kOp, "not enough memory for the counts of ", job.ranks, " ranks");
  }
}

template <class Index, class Length>
Bucketized run_job(const Arguments& a, const Tensor& lengths, const Tensor& indices) {
  const int64_t count = indices.numel();
  const int64_t bags = lengths.numel();
  if (is_on_cpu(lengths)) check_lengths<Length>(lengths, count);
  const MaybeTensor bag_starts = bag_starts_of(a);
  const Features features = features_of(a);
  const Tensor out_lengths = empty_like_device(lengths, {a.my_size * bags}, lengths.scalar_type());
  const auto another = [&] { return empty_like_device(indices, {count}, indices.scalar_type()); };
  const Tensor out_indices = another();
  MaybeTensor weights;
  MaybeTensor out_weights;
  MaybeTensor positions;
  MaybeTensor permute;
  BucketizeJob<Index, Length> job;
  if (a.weights) {
    weights = as_contiguous(*a.weights);
    out_weights = empty_like_device(*weights, {count}, weights->scalar_type());
    job.weights = weights->const_data_ptr();
    job.weight_bytes = static_cast<int64_t>(weights->element_size());
    job.out_weights = out_weights->mutable_data_ptr();
  }
  if (a.bucketize_pos) {
    positions = another();
    job.out_positions = static_cast<Index*>(positions->mutable_data_ptr());
  }
  if (a.sequence) {
    permute = another();
    job.out_permute = static_cast<Index*>(permute->mutable_data_ptr());
  }
  job.features = static_cast<const BucketFeature*>(features.bytes.const_data_ptr());
  job.feature_count = a.block_sizes.numel();
  job.ranks = a.my_size;
  job.bag_starts = bag_starts ? numbers(*bag_starts) : nullptr;
  const int64_t batch = bags / std::max<int64_t>(1, job.feature_count);
  job.batch = Divider(static_cast<uint64_t>(std::max<int64_t>(1, batch)));
  job.bags = bags;
  job.count = count;
  job.lengths = static_cast<const Length*>(lengths.const_data_ptr());
  job.indices = static_cast<const Index*>(indices.const_data_ptr());
  job.out_lengths = static_cast<Length*>(out_lengths.mutable_data_ptr());
  job.out_indices = static_cast<Index*>(out_indices.mutable_data_ptr());
  if (is_on_cpu(lengths)) {
    if (bags > 0) run_on_cpu(job);
  } else {
#ifdef PINWHEEL_GPU
    // If the features' batches leave out bags, their entries are not written either.
    if (permute && bag_starts) torch::stable::zero_(*permute);
    run_on_gpu(job, lengths, out_lengths);
#endif
  }
  return {out_lengths, out_indices, out_weights, positions, permute};
}

Bucketized block_bucketize(const Tensor& lengths, const Tensor& indices, bool bucketize_pos,
                           bool sequence, const Tensor& block_sizes, int64_t my_size,
                           const MaybeTensor& weights, const MaybeTensor& batch_size_per_feature,
                           int64_t max_B,
                           const std::optional<std::vector<Tensor>>& block_bucketize_pos,
                           bool keep_orig_idx, const MaybeTensor& total_num_blocks,
                           const MaybeTensor& keep_orig_idx_per_feature) {
  Arguments a{lengths,
              indices,
              bucketize_pos,
              sequence,
              block_sizes,
              my_size,
              weights,
              batch_size_per_feature,
              max_B,
              {},
              keep_orig_idx,
              total_num_blocks,
              keep_orig_idx_per_feature};
  if (block_bucketize_pos) a.bounds = *block_bucketize_pos;
  check_arguments(a);
  // The kernels add up lengths in the lengths' own dtype.
  const bool widen = !is_on_cpu(lengths) && lengths.scalar_type() == ScalarType::Int &&
                     indices.numel() > std::numeric_limits<int32_t>::max();
  const Tensor used = widen ? as_long(lengths) : as_contiguous(lengths);
  const Tensor contiguous = as_contiguous(indices);
  Bucketized result = with_index_type(contiguous, [&](auto index) {
    return with_index_type(used, [&](auto length) {
      return run_job<decltype(index), decltype(length)>(a, used, contiguous);
    });
  });
  if (widen) std::get<0>(result) = torch::stable::to(std::get<0>(result), ScalarType::Int);
  return result;
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "block_bucketize_sparse_features(Tensor lengths, Tensor indices, bool bucketize_pos, "
      "bool sequence, Tensor block_sizes, SymInt my_size, Tensor? weights=None, "
      "Tensor? batch_size_per_feature=None, SymInt max_B=-1, Tensor[]? block_bucketize_pos=None, "
      "bool keep_orig_idx=False, Tensor? total_num_blocks=None, "
      "Tensor? keep_orig_idx_per_feature=None) -> (Tensor, Tensor, Tensor?, Tensor?, Tensor?)");
}

void register_kernels(Library& m) {
  m.impl("block_bucketize_sparse_features", TORCH_BOX(&block_bucketize));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
