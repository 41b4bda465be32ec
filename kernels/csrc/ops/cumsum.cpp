#include "ops/cumsum.h"

#include "base/device.h"
#include "base/register.h"
#include "jobs/cumsum.h"

namespace pinwheel {
namespace {

CumsumDtype dtype_of(const char* op, const Tensor& input) {
  switch (input.scalar_type()) {
    case ScalarType::Int:
      return CumsumDtype::kInt32;
    case ScalarType::Long:
      return CumsumDtype::kInt64;
    case ScalarType::Float:
      if (is_on_cpu(input)) return CumsumDtype::kFloat32;
      break;
    case ScalarType::Double:
      if (is_on_cpu(input)) return CumsumDtype::kFloat64;
      break;
    default:
      break;
  }
  fail(op, "`t_in` must hold int32 or int64 (float32 and float64 too on the CPU), not ",
       torch::headeronly::toString(input.scalar_type()));
}

void run_with_scratch(const CumsumJob& job, const Tensor& input) {
  if (is_on_cpu(input)) return run_cpu(job);
#ifdef PINWHEEL_GPU
  const GpuStreamGuard guard(input);
  const int64_t bytes = gpu_scratch_bytes(job);
  const Tensor scratch = empty_like_device(input, {bytes}, ScalarType::Byte);
  run_gpu(job, Scratch{scratch.mutable_data_ptr(), bytes}, guard.stream());
#endif
}

Tensor cumsum(const char* op, CumsumKind kind, const Tensor& t_in) {
  const bool complete = kind == CumsumKind::kComplete;
  const int64_t dim = t_in.dim();
  require(dim == 1 || (complete && dim == 2), op, "`t_in` must be 1-D", complete ? " or 2-D" : "",
          ", got shape ", shape_text(t_in));
  const Tensor input = as_contiguous(t_in);
  CumsumJob job;
  job.kind = kind;
  job.dtype = dtype_of(op, input);
  job.rows = dim == 2 ? input.size(0) : 1;
  job.length = input.size(dim - 1);
  std::vector<int64_t> sizes(input.sizes().begin(), input.sizes().end());
  if (complete) ++sizes.back();
  const Tensor output = empty_like_device(input, sizes, input.scalar_type());
  if (output.numel() == 0) return output;
  job.in = input.const_data_ptr();
  job.out = output.mutable_data_ptr();
  run_with_scratch(job, input);
  return output;
}

Tensor exclusive_cumsum(const Tensor& t_in) {
  return cumsum("asynchronous_exclusive_cumsum", CumsumKind::kExclusive, t_in);
}
Tensor inclusive_cumsum(const Tensor& t_in) {
  return cumsum("asynchronous_inclusive_cumsum", CumsumKind::kInclusive, t_in);
}

// FBGEMM's names and argument order, so that callers port by renaming the namespace.
void define_schemas(Library& m) {
  m.def("asynchronous_exclusive_cumsum(Tensor t_in) -> Tensor");
  m.def("asynchronous_inclusive_cumsum(Tensor t_in) -> Tensor");
  m.def("asynchronous_complete_cumsum(Tensor t_in) -> Tensor");
}

void register_kernels(Library& m) {
  m.impl("asynchronous_exclusive_cumsum", TORCH_BOX(&exclusive_cumsum));
  m.impl("asynchronous_inclusive_cumsum", TORCH_BOX(&inclusive_cumsum));
  m.impl("asynchronous_complete_cumsum", TORCH_BOX(&complete_cumsum));
}

}  // namespace

Tensor complete_cumsum(const Tensor& t_in) {
  return cumsum("asynchronous_complete_cumsum", CumsumKind::kComplete, t_in);
}

}  // namespace pinwheel

PINWHEEL_OPERATORS(pinwheel::define_schemas, pinwheel::register_kernels)
