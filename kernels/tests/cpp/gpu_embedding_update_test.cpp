// The GPU kernels of the embedding optimizers, run by the emulator and compared with plain loops.
// std::stable_sort replaces torch's sort between keys and rows.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/embedding_adagrad.cu"
#include "../../csrc/gpu/embedding_sgd.cu"
#include "../../csrc/gpu/embedding_update.cu"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

std::mt19937 random_numbers(7);

int64_t below(int64_t limit) {
  return static_cast<int64_t>(random_numbers() % static_cast<uint64_t>(limit));
}

float any_float() {
  return std::uniform_real_distribution<float>(-1.0f, 1.0f)(random_numbers);
}

/// The parameters of a batch.
struct Shape {
  std::vector<int64_t> rows;
  std::vector<int32_t> widths;
  int64_t samples = 4;
  int64_t longest = 3;
  int64_t hot = 0;  ///< out of 8 positions, this many look up row 0
  bool pooled = true;
  bool mean = false;
  bool weighted = false;
  bool wide_keys = false;
};

template <class Index, class Grad, class Weight>
struct Batch {
  Shape shape;
  std::vector<int64_t> weights_offsets;
  std::vector<int64_t> row_sums = {0};
  std::vector<int32_t> column_sums = {0};
  std::vector<Index> offsets = {0};
  std::vector<Index> indices;
  std::vector<float> factors;
  std::vector<Grad> grad;
  std::vector<Weight> weights;
  std::vector<float> momentum;

  explicit Batch(const Shape& shape_in) : shape(shape_in) {
    int64_t elements = 0;
    for (size_t t = 0; t < shape.rows.size(); ++t) {
      weights_offsets.push_back(elements);
      elements += shape.rows[t] * shape.widths[t];
      row_sums.push_back(row_sums.back() + shape.rows[t]);
      column_sums.push_back(column_sums.back() + shape.widths[t]);
      for (int64_t b = 0; b < shape.samples; ++b) {
        for (int64_t n = below(shape.longest + 1); n > 0; --n) {
          const bool first = below(8) < shape.hot;
          indices.push_back(static_cast<Index>(first ? 0 : below(shape.rows[t])));
          factors.push_back(any_float() + 1.5f);
        }
        offsets.push_back(static_cast<Index>(indices.size()));
      }
    }
    grad.resize(grad_columns() * (shape.pooled ? shape.samples : positions()));
    for (Grad& number : grad) from_float(any_float(), number);
    weights.resize(elements);
    for (Weight& number : weights) from_float(any_float(), number);
    momentum.resize(row_sums.back());
    for (float& number : momentum) number = any_float() + 1.5f;
  }

  int64_t positions() const { return static_cast<int64_t>(indices.size()); }
  int64_t grad_columns() const { return shape.pooled ? column_sums.back() : shape.widths[0]; }

  EmbeddingUpdate<Index> job(FloatDtype grad_dtype, FloatDtype weights_dtype) {
    EmbeddingUpdate<Index> job;
    TbeTables& tables = job.rows.tables;
    tables.weights_offsets = weights_offsets.data();
    tables.hash_size_cumsum = row_sums.data();
    tables.D_offsets = column_sums.data();
    tables.count = static_cast<int64_t>(shape.rows.size());
    tables.weights = static_cast<int64_t>(weights.size());
    tables.total_D = grad_columns() * (shape.pooled ? 1 : tables.count);
    job.rows.grad_dtype = grad_dtype;
    job.rows.grad = grad.data();
    job.rows.grad_columns = grad_columns();
    job.rows.pooled = shape.pooled;
    job.rows.weights_dtype = weights_dtype;
    job.rows.weights = weights.data();
    job.bags.indices = indices.data();
    job.bags.offsets = offsets.data();
    job.bags.batch = shape.samples;
    job.bags.count = static_cast<int64_t>(offsets.size()) - 1;
    job.bags.positions = positions();
    job.mean = shape.mean;
    job.indice_weights = shape.weighted ? factors.data() : nullptr;
    return job;
  }
};

template <class Key>
std::vector<int64_t> order_of(const void* keys_at, int64_t count) {
  const Key* const keys = static_cast<const Key*>(keys_at);
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t one, int64_t other) { return keys[one] < keys[other]; });
  return order;
}

/// Keys, sort, rows. `capacity` is that of the partial sums; 0 for what the kernels request.
template <class Index, class Rule>
void update(const EmbeddingUpdate<Index>& job, const Rule& rule, int64_t momentum_rows, bool wide,
            int64_t capacity = 0) {
  const int64_t count = job.bags.positions;
  std::vector<int64_t> keys(count + 1, -7);
  std::vector<GradientShare> shares(count + 1);
  SortedRows sorted;
  sorted.of = RowKeys{wide, momentum_rows, keys.data(), shares.data()};
  run_gpu(job, sorted.of, nullptr);
  const std::vector<int64_t> order =
      wide ? order_of<int64_t>(keys.data(), count) : order_of<int32_t>(keys.data(), count);
  std::vector<int64_t> sorted_keys(count + 1);
  for (int64_t i = 0; i < count; ++i) {
    if (wide) {
      sorted_keys[i] = keys[order[i]];
    } else {
      const int32_t* const narrow = reinterpret_cast<const int32_t*>(keys.data());
      reinterpret_cast<int32_t*>(sorted_keys.data())[i] = narrow[order[i]];
    }
  }
  const int64_t asked = partials_for(count, job.rows.tables.total_D, 1000);
  sorted.capacity = capacity > 0 ? capacity : asked;
  std::vector<float> partials(sorted.capacity + 4, 77.0f);
  std::vector<int64_t> plan(kUpdatePlanNumbers);
  sorted.keys = sorted_keys.data();
  sorted.order = order.data();
  sorted.count = count;
  sorted.partials = partials.data();
  sorted.plan = plan.data();
  run_gpu(job.rows, sorted, rule, nullptr);
  for (int64_t i = sorted.capacity; i < sorted.capacity + 4; ++i) CHECK(partials[i] == 77.0f);
}

/// Sums of gradients by table and row, and the expected result from plain loops.
template <class Index, class Grad, class Weight>
struct Expected {
  std::vector<double> weights;
  std::vector<double> momentum;

  template <class Step>
  Expected(const Batch<Index, Grad, Weight>& batch, const Step& step)
      : momentum(batch.momentum.begin(), batch.momentum.end()) {
    for (const Weight& weight : batch.weights) weights.push_back(to_float(weight));
    std::map<std::pair<int64_t, int64_t>, std::vector<double>> sums;
    const int64_t samples = batch.shape.samples;
    for (size_t bag = 0; bag + 1 < batch.offsets.size(); ++bag) {
      const int64_t t = static_cast<int64_t>(bag) / samples;
      for (Index i = batch.offsets[bag]; i < batch.offsets[bag + 1]; ++i) {
        std::vector<double>& sum = sums[{t, batch.indices[i]}];
        sum.resize(batch.shape.widths[t]);
        const int64_t grad_row = batch.shape.pooled ? static_cast<int64_t>(bag) % samples : i;
        const int64_t first = batch.shape.pooled ? batch.column_sums[t] : 0;
        double factor = batch.shape.weighted ? batch.factors[i] : 1.0;
        if (batch.shape.mean) factor /= batch.offsets[bag + 1] - batch.offsets[bag];
        for (size_t d = 0; d < sum.size(); ++d) {
          sum[d] += factor * to_float(batch.grad[grad_row * batch.grad_columns() + first + d]);
        }
      }
    }
    for (const auto& [row, sum] : sums) {
      if (sum.empty()) continue;
      double* const numbers = weights.data() + batch.weights_offsets[row.first] +
                              row.second * static_cast<int64_t>(sum.size());
      step(numbers, sum, momentum[batch.row_sums[row.first] + row.second]);
    }
  }
};

void limit(double* row, size_t columns, double max_norm) {
  double squares = 0;
  for (size_t d = 0; d < columns; ++d) squares += row[d] * row[d];
  if (max_norm == 0 || std::sqrt(squares) <= max_norm) return;
  for (size_t d = 0; d < columns; ++d) row[d] *= max_norm / std::sqrt(squares);
}

template <class Weight>
void check_near(const std::vector<Weight>& got, const std::vector<double>& want, double error) {
  for (size_t i = 0; i < want.size(); ++i) {
    CHECK(std::fabs(to_float(got[i]) - want[i]) <= error * (1.0 + std::fabs(want[i])));
  }
}

template <class Index, class Grad, class Weight>
void sgd_matches_a_loop(const Shape& shape, FloatDtype grad, FloatDtype weights, double error,
                        int64_t capacity = 0) {
  for (const float max_norm : {0.0f, 1.0f}) {
    Batch<Index, Grad, Weight> batch(shape);
    SgdRule rule;
    rule.learning_rate = 0.25f;
    rule.keep = 0.9f;
    rule.max_norm = max_norm;
    const Expected<Index, Grad, Weight> want(
        batch, [&](double* row, const std::vector<double>& sum, double&) {
          for (size_t d = 0; d < sum.size(); ++d) row[d] = 0.9f * row[d] - 0.25 * sum[d];
          limit(row, sum.size(), max_norm);
        });
    update(batch.job(grad, weights), rule, -1, shape.wide_keys, capacity);
    check_near(batch.weights, want.weights, error);
  }
}

template <class Index, class Grad, class Weight>
void adagrad_matches_a_loop(const Shape& shape, FloatDtype grad, FloatDtype weights, double error,
                            int64_t capacity = 0) {
  for (const WeightDecay mode : {WeightDecay::kNone, WeightDecay::kL2, WeightDecay::kDecoupled}) {
    Batch<Index, Grad, Weight> batch(shape);
    AdagradRule rule;
    rule.learning_rate = 0.25f;
    rule.eps = 0.125f;
    rule.weight_decay = 0.5f;
    rule.mode = mode;
    rule.max_norm = mode == WeightDecay::kNone ? 0.0f : 1.0f;
    rule.momentum = batch.momentum.data();
    const Expected<Index, Grad, Weight> want(
        batch, [&](double* row, const std::vector<double>& sum, double& momentum) {
          double squares = 0;
          for (size_t d = 0; d < sum.size(); ++d) {
            const double g = sum[d] + (mode == WeightDecay::kL2 ? 0.5 * row[d] : 0.0);
            squares += g * g;
          }
          momentum += squares / sum.size();
          const double step = 0.25 / (std::sqrt(momentum) + 0.125);
          double keep = mode == WeightDecay::kL2 ? 1 - step * 0.5 : 1.0;
          if (mode == WeightDecay::kDecoupled) keep = 1 - 0.25 * 0.5;
          for (size_t d = 0; d < sum.size(); ++d) row[d] = keep * row[d] - step * sum[d];
          limit(row, sum.size(), rule.max_norm);
        });
    update(batch.job(grad, weights), rule, static_cast<int64_t>(batch.momentum.size()),
           shape.wide_keys, capacity);
    check_near(batch.weights, want.weights, error);
    check_near(batch.momentum, want.momentum, error);
  }
}

template <class Index, class Grad, class Weight>
void both(const Shape& shape, FloatDtype grad, FloatDtype weights, double error,
          int64_t capacity = 0) {
  sgd_matches_a_loop<Index, Grad, Weight>(shape, grad, weights, error, capacity);
  adagrad_matches_a_loop<Index, Grad, Weight>(shape, grad, weights, error, capacity);
}

void plain(const Shape& shape, int64_t capacity = 0) {
  both<int64_t, float, float>(shape, FloatDtype::kFloat32, FloatDtype::kFloat32, 2e-5, capacity);
}

void shapes_of_all_kinds() {
  // All rows in quads, and not.
  for (const int32_t width : {4, 5}) {
    Shape shape{{9, 30, 1}, {8, width, 12}};
    plain(shape);
    shape.wide_keys = true;
    shape.mean = true;
    plain(shape);
    shape.weighted = true;
    both<int32_t, float, float>(shape, FloatDtype::kFloat32, FloatDtype::kFloat32, 2e-5);
    shape.samples = 0;
    plain(shape);
  }
  // Without pooling, and with rows wider than one pass of a team and than the quads that threads
  // keep.
  Shape none{{40, 3}, {7, 7}, 9, 4};
  none.pooled = false;
  plain(none);
  none.widths = {132, 132};
  plain(none);
  none.widths = {128, 128};
  plain(none);
  plain(Shape{{5, 6, 7}, {0, 64, 0}, 5, 3});
  plain(Shape{{5, 6}, {700, 4}, 5, 3});
  plain(Shape{{5, 6, 7}, {0, 3, 0}, 5, 3});
  plain(Shape{{1000}, {1}, 200, 3});
}

void dtypes_of_all_kinds() {
  for (const int32_t width : {6, 8}) {
    const Shape shape{{20, 7}, {16, width}, 20, 3};
    both<int32_t, Fp16, Fp16>(shape, FloatDtype::kFloat16, FloatDtype::kFloat16, 2e-3);
    both<int32_t, Bf16, float>(shape, FloatDtype::kBFloat16, FloatDtype::kFloat32, 2e-5);
    both<int32_t, float, Bf16>(shape, FloatDtype::kFloat32, FloatDtype::kBFloat16, 1e-2);
  }
}

/// Runs without whole chunks, with some, and across all tiles; with full and with reduced capacity
/// for partial sums.
void frequent_rows() {
  for (const int64_t hot : {3, 7, 8}) {
    for (const int64_t capacity : {0, 4096, 40, 1}) {
      plain(Shape{{50, 4}, {16, 5}, 400, 7, hot}, capacity);
      plain(Shape{{50, 4}, {16, 8}, 400, 7, hot}, capacity);
    }
  }
  plain(Shape{{3}, {140}, 700, 2, 6});
}

/// Positions for the longest tiles, with runs of one and of many.
void many_positions() {
  Shape shape{{90000, 3000}, {4, 8}, 45000, 7, 1};
  shape.weighted = true;
  adagrad_matches_a_loop<int32_t, float, float>(shape, FloatDtype::kFloat32, FloatDtype::kFloat32,
                                                1e-3);
}

/// Out-of-range contents must never be dereferenced: only elements in range change.
void hostile_contents_change_nothing_outside() {
  constexpr int64_t kFar = int64_t{1} << 62;
  for (int where = 0; where < 5; ++where) {
    for (const int64_t bad : {-kFar, int64_t{-1}, int64_t{1000}, kFar}) {
      for (int64_t at = 0; at < 3; ++at) {
        Batch<int64_t, float, float> batch(Shape{{9, 30}, {8, 4}, 6, 3});
        if (where == 0) batch.weights_offsets[at % 2] = bad;
        if (where == 1) batch.row_sums[at] = bad;
        if (where == 2) batch.column_sums[at] = static_cast<int32_t>(bad);
        if (where == 3) batch.offsets[at * 6] = bad;
        if (where == 4 && at < batch.positions()) batch.indices[at] = bad;
        std::vector<float> fenced(batch.weights.size() + 200, 3.0f);
        std::vector<float> momentum(batch.momentum.size() + 200, 3.0f);
        EmbeddingUpdate<int64_t> job = batch.job(FloatDtype::kFloat32, FloatDtype::kFloat32);
        job.rows.weights = fenced.data() + 100;
        AdagradRule rule;
        rule.learning_rate = 1;
        rule.eps = 1;
        rule.momentum = momentum.data() + 100;
        update(job, rule, static_cast<int64_t>(batch.momentum.size()), at == 1);
        SgdRule sgd;
        sgd.learning_rate = 1;
        update(job, sgd, -1, at == 1);
        for (const std::vector<float>* all : {&fenced, &momentum}) {
          for (size_t i = 0; i < 100; ++i) {
            CHECK((*all)[i] == 3.0f && (*all)[all->size() - 1 - i] == 3.0f);
          }
        }
      }
    }
  }
}

/// A position with an invalid index is skipped, and the others count.
void an_invalid_index_is_skipped() {
  Batch<int64_t, float, float> batch(Shape{{3}, {4}, 1, 0});
  batch.indices = {1, 7, 1, -1};
  batch.offsets = {0, 4};
  const std::vector<float> before = batch.weights;
  SgdRule rule;
  rule.learning_rate = 1;
  update(batch.job(FloatDtype::kFloat32, FloatDtype::kFloat32), rule, -1, false);
  for (int64_t i = 0; i < 12; ++i) {
    const float change = i / 4 == 1 ? 2 * batch.grad[i % 4] : 0.0f;
    CHECK(std::fabs(batch.weights[i] - (before[i] - change)) < 1e-6f);
  }
}

void everything() {
  shapes_of_all_kinds();
  dtypes_of_all_kinds();
  frequent_rows();
  hostile_contents_change_nothing_outside();
  an_invalid_index_is_skipped();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
  many_positions();
}
