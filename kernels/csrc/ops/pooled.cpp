#include "jobs/pooled.h"

#include "base/register.h"
#include "ops/run.h"

namespace pinwheel {
namespace {

Tensor as_long(const Tensor& tensor) {
  if (tensor.scalar_type() == ScalarType::Long) return as_contiguous(tensor);
  return torch::stable::contiguous(torch::stable::to(tensor, ScalarType::Long));
}

const int64_t* numbers(const Tensor& tensor) {
  return static_cast<const int64_t*>(tensor.const_data_ptr());
}

/// The four list arguments of the operators: where the columns of each feature are, and their
/// order.
struct Lists {
  Tensor offsets;
  Tensor permute;
  Tensor inverse_offsets;
  Tensor inverse_permute;
};

Tensor checked_list(const char* op, const Tensor& pooled, const Tensor& list, const char* name,
                    int64_t count) {
  require_index_dtype(op, list, name);
  require_same_device(op, pooled, list, name);
  require(list.dim() == 1 && list.numel() == count, op, "`", name, "` must have the shape [", count,
          "], not ", shape_text(list));
  return as_long(list);
}

void check_offsets(const char* op, const Tensor& offsets, const char* name, int64_t columns) {
  const int64_t* const at = numbers(offsets);
  const int64_t count = offsets.numel();
  require(at[0] == 0, op, "`", name, "` must start with 0, not ", at[0]);
  for (int64_t t = 1; t < count; ++t) {
    require(at[t] >= at[t - 1], op, "`", name, "` decreases at ", t);
  }
  require(at[count - 1] == columns, op, "`", name, "` ends at ", at[count - 1],
          " but `pooled_embs` has ", columns, " columns");
}

/// On the CPU the contents are checked here, in one pass. GPU kernels scatter by the inverse lists
/// and gradients gather by them, so they must really be the inverse.
void check_contents(const char* op, const Lists& lists, int64_t columns) {
  check_offsets(op, lists.offsets, "offset_dim_list", columns);
  check_offsets(op, lists.inverse_offsets, "inv_offset_dim_list", columns);
  const int64_t* const permute = numbers(lists.permute);
  const int64_t* const inverse = numbers(lists.inverse_permute);
  const int64_t* const in = numbers(lists.offsets);
  const int64_t* const out = numbers(lists.inverse_offsets);
  const int64_t features = lists.permute.numel();
  for (int64_t t = 0; t < features; ++t) {
    const int64_t feature = permute[t];
    require(feature >= 0 && feature < features, op, "`permute_list[", t, "]` is ", feature,
            " but there are ", features, " features");
    require(inverse[feature] == t, op, "`inv_permute_list[", feature, "]` is ", inverse[feature],
            " but `permute_list[", t, "]` is ", feature);
    require(out[t + 1] - out[t] == in[feature + 1] - in[feature], op, "`inv_offset_dim_list` has ",
            out[t + 1] - out[t], " columns for output feature ", t, " but input feature ", feature,
            " has ", in[feature + 1] - in[feature]);
  }
}

Tensor permute(const char* op, const Tensor& pooled_in, const Lists& given) {
  require(pooled_in.dim() == 2, op, "`pooled_embs` must be 2-D, got shape ", shape_text(pooled_in));
  const int64_t features = given.permute.numel();
  Lists lists;
  lists.offsets = checked_list(op, pooled_in, given.offsets, "offset_dim_list", features + 1);
  lists.permute = checked_list(op, pooled_in, given.permute, "permute_list", features);
  lists.inverse_offsets =
      checked_list(op, pooled_in, given.inverse_offsets, "inv_offset_dim_list", features + 1);
  lists.inverse_permute =
      checked_list(op, pooled_in, given.inverse_permute, "inv_permute_list", features);
  const Tensor pooled = as_contiguous(pooled_in);
  if (is_on_cpu(pooled)) check_contents(op, lists, pooled.size(1));
  require(pooled.element_size() <= 16, op, "`pooled_embs` has elements of more than 16 bytes");
  const Tensor out =
      empty_like_device(pooled, {pooled.size(0), pooled.size(1)}, pooled.scalar_type());
  if (out.numel() == 0) return out;
  PooledJob job;
  job.in = pooled.const_data_ptr();
  job.out = out.mutable_data_ptr();
  job.rows = pooled.size(0);
  job.row_elements = pooled.size(1);
  job.element_bytes = static_cast<int64_t>(pooled.element_size());
  job.segments = features;
  job.permute = numbers(lists.permute);
  job.in_offsets = numbers(lists.offsets);
  job.out_offsets = numbers(lists.inverse_offsets);
  run(job, pooled);
  return out;
}

Tensor permute_pooled_embs(const Tensor& pooled_embs, const Tensor& offset_dim_list,
                           const Tensor& permute_list, const Tensor& inv_offset_dim_list,
                           const Tensor& inv_permute_list) {
  return permute("permute_pooled_embs", pooled_embs,
                 {offset_dim_list, permute_list, inv_offset_dim_list, inv_permute_list});
}

Tensor permute_pooled_embs_auto_grad(const Tensor& pooled_embs, const Tensor& offset_dim_list,
                                     const Tensor& permute_list, const Tensor& inv_offset_dim_list,
                                     const Tensor& inv_permute_list) {
  return permute("permute_pooled_embs_auto_grad", pooled_embs,
                 {offset_dim_list, permute_list, inv_offset_dim_list, inv_permute_list});
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def(
      "permute_pooled_embs(Tensor pooled_embs, Tensor offset_dim_list, Tensor permute_list, "
      "Tensor inv_offset_dim_list, Tensor inv_permute_list) -> Tensor");
  m.def(
      "permute_pooled_embs_auto_grad(Tensor pooled_embs, Tensor offset_dim_list, "
      "Tensor permute_list, Tensor inv_offset_dim_list, Tensor inv_permute_list) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("permute_pooled_embs", TORCH_BOX(&permute_pooled_embs));
  m.impl("permute_pooled_embs_auto_grad", TORCH_BOX(&permute_pooled_embs_auto_grad));
}

}  // namespace
}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
