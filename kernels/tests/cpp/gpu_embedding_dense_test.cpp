// The GPU kernels of the gradients of lookups, run by the emulator and compared with plain loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/embedding_dense.cu"

#include <algorithm>
#include <numeric>

#include "tbe_case.h"

namespace {

template <class Number>
std::vector<Number> random_numbers(size_t count) {
  std::vector<Number> numbers(count);
  for (Number& number : numbers) from_float(random_number(), number);
  return numbers;
}

template <class Index>
DenseGradientJob<Index> gradient_job(Case<Index>& c, Pooling pooling, bool weighted) {
  const EmbeddingForwardJob<Index> forward = c.job(nullptr, pooling, weighted);
  DenseGradientJob<Index> job;
  job.tables = forward.tables;
  job.bags = forward.bags;
  job.pooling = pooling;
  job.indice_weights = forward.indice_weights;
  job.grad_columns = forward.out_columns;
  job.grad_elements =
      (pooling == Pooling::kNone ? job.bags.positions : job.bags.batch) * job.grad_columns;
  return job;
}

/// The operator's steps: occurrences, a stable sort, sums.
template <class Number, class Index>
std::vector<float> dense_gradient(DenseGradientJob<Index> job, FloatDtype out_dtype) {
  std::vector<float> result(job.tables.weights);
  std::vector<Number> out(job.tables.weights + 1);
  from_float(7.0f, out.back());
  job.out_dtype = out_dtype;
  job.out = out.data();
  const int64_t positions = job.bags.positions;
  std::vector<int64_t> row(positions, -9);
  std::vector<int64_t> source(positions, -9);
  std::vector<float> scale(positions, -9);
  run_gpu(OccurrencesJob<Index>{job, row.data(), source.data(), scale.data()}, nullptr);
  std::vector<int64_t> order(positions);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return row[a] < row[b]; });
  std::vector<int64_t> sorted;
  for (const int64_t position : order) sorted.push_back(row[position]);
  run_gpu(SortedGradientJob<Index>{job, sorted.data(), order.data(), source.data(), scale.data()},
          nullptr);
  for (size_t i = 0; i < result.size(); ++i) result[i] = to_float(out[i]);
  CHECK(to_float(out.back()) == 7.0f);
  return result;
}

template <class Grad, class Index>
std::vector<float> dense_gradient_of_a_loop(const DenseGradientJob<Index>& job,
                                            const std::vector<Grad>& grad) {
  std::vector<float> out(job.tables.weights, 0.0f);
  for (int64_t number = 0; number < job.bags.count; ++number) {
    const TbeTable table = job.tables.at(number / job.bags.batch);
    const TbeBag bag = job.bags.at(number);
    for (int64_t i = bag.begin; i < bag.begin + bag.length; ++i) {
      const int64_t row = job.bags.row_at(i, table);
      float scale = job.indice_weights == nullptr ? 1.0f : job.indice_weights[i];
      if (job.pooling == Pooling::kMean) scale /= static_cast<float>(bag.length);
      const int64_t from = job.pooling == Pooling::kNone
                               ? i * job.grad_columns
                               : number % job.bags.batch * job.grad_columns + table.out_column;
      for (int64_t c = 0; row >= 0 && c < table.columns; ++c) {
        out[table.first + row * table.stride + c] += scale * to_float(grad[from + c]);
      }
    }
  }
  return out;
}

template <class Grad, class Weight, class Index>
void gradients_match_a_loop(FloatDtype grad_dtype, FloatDtype weights_dtype) {
  const std::vector<std::vector<int64_t>> kDims = {{}, {4}, {1, 3, 8}, {64, 16}, {130, 0, 33}};
  const float tolerance = weights_dtype == FloatDtype::kFloat32 ? 1e-5f : 1e-2f;
  for (const std::vector<int64_t>& dims : kDims) {
    for (const Pooling pooling : {Pooling::kSum, Pooling::kMean, Pooling::kNone}) {
      if (pooling == Pooling::kNone && dims.size() != 1) continue;
      Case<Index> c(dims, 5, 11);
      if (c.indices.size() > 3) {
        c.indices[1] = -1;
        c.indices[3] = static_cast<Index>(1) << 30;
      }
      c.indices.push_back(0);  // of no bag
      c.indice_weights.push_back(1);
      c.view();
      auto job = gradient_job(c, pooling, pooling == Pooling::kMean);
      job.grad_dtype = grad_dtype;
      const auto grad = random_numbers<Grad>(job.grad_elements);
      job.grad = grad.data();
      check_close(dense_gradient<Weight>(job, weights_dtype), dense_gradient_of_a_loop(job, grad),
                  tolerance);

      if (pooling == Pooling::kNone) continue;
      const auto weights = random_numbers<Weight>(c.tables.weights);
      std::vector<float> out(job.bags.positions, 0.0f);
      IndiceWeightsGradientJob<Index> dots;
      dots.tables = job.tables;
      dots.bags = job.bags;
      dots.pooling = pooling;
      dots.grad_dtype = grad_dtype;
      dots.weights_dtype = weights_dtype;
      dots.grad = grad.data();
      dots.grad_columns = job.grad_columns;
      dots.weights = weights.data();
      dots.out = out.data();
      run_gpu(dots, nullptr);
      std::vector<float> expected(out.size(), 0.0f);
      for (int64_t number = 0; number < job.bags.count; ++number) {
        const TbeTable table = job.tables.at(number / job.bags.batch);
        const TbeBag bag = job.bags.at(number);
        for (int64_t i = bag.begin; i < bag.begin + bag.length; ++i) {
          const int64_t row = job.bags.row_at(i, table);
          for (int64_t k = 0; row >= 0 && k < table.columns; ++k) {
            const int64_t from = number % job.bags.batch * job.grad_columns + table.out_column + k;
            expected[i] += to_float(weights[table.first + row * table.stride + k]) *
                           to_float(grad[from]) /
                           (pooling == Pooling::kMean ? static_cast<float>(bag.length) : 1.0f);
          }
        }
      }
      check_close(out, expected, 1e-4f);
    }
  }
}

/// Features that share one table, and some that claim its rows with other widths.
template <class Index>
void tables_share_rows() {
  Case<Index> c({8, 8, 8}, 4, 6);
  for (Index& index : c.indices) index = 0;
  c.weights_offsets = {8, 8, 8};
  c.hash_size_cumsum = {0, 1, 2, 3};
  c.tables.weights = 24;
  c.view();
  auto job = gradient_job(c, Pooling::kSum, true);
  const auto grad = random_numbers<float>(job.grad_elements);
  job.grad = grad.data();
  check_close(dense_gradient<float>(job, FloatDtype::kFloat32), dense_gradient_of_a_loop(job, grad),
              1e-5f);
  c.D_offsets = {0, 20, 21, 24};
  c.weights_offsets = {4, 4, 4};
  job = gradient_job(c, Pooling::kSum, true);
  job.grad = grad.data();
  dense_gradient<float>(job, FloatDtype::kFloat32);
}

/// Invalid offsets and tables contribute nothing.
template <class Index>
void out_of_range_contents_contribute_nothing() {
  Case<Index> c({8, 8, 8}, 3, 5);
  c.offsets[2] = -5;
  c.offsets[5] = static_cast<Index>(1) << 30;
  c.weights_offsets[1] = INT64_MAX - 3;
  c.hash_size_cumsum[3] = INT64_MAX;
  for (const Pooling pooling : {Pooling::kSum, Pooling::kMean, Pooling::kNone}) {
    auto job = gradient_job(c, pooling, false);
    const auto grad = random_numbers<float>(job.grad_elements);
    job.grad = grad.data();
    dense_gradient<float>(job, FloatDtype::kFloat32);
  }
  c.D_offsets = {0, -8, 1 << 30, 24};
  auto job = gradient_job(c, Pooling::kSum, false);
  const auto grad = random_numbers<float>(job.grad_elements);
  job.grad = grad.data();
  for (const float number : dense_gradient<float>(job, FloatDtype::kFloat32)) CHECK(number == 0);
}

template <class Index>
void everything_of() {
  const FloatDtype f32 = FloatDtype::kFloat32;
  gradients_match_a_loop<float, float, Index>(f32, f32);
  gradients_match_a_loop<Fp16, float, Index>(FloatDtype::kFloat16, f32);
  gradients_match_a_loop<float, Bf16, Index>(f32, FloatDtype::kBFloat16);
  gradients_match_a_loop<Fp16, Fp16, Index>(FloatDtype::kFloat16, FloatDtype::kFloat16);
  tables_share_rows<Index>();
  out_of_range_contents_contribute_nothing<Index>();
}

}  // namespace

int main() {
  for (const gpu::ThreadOrder order : {gpu::ThreadOrder::kRising, gpu::ThreadOrder::kFalling}) {
    gpu::Emulator::instance().order = order;
    everything_of<int32_t>();
    everything_of<int64_t>();
  }
}
