// The GPU kernels of the embedding operators, run by the emulator and compared with plain loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/embedding.cu"
#include "../../csrc/gpu/embedding_int8.cu"

#include "tbe_case.h"

namespace {

/// The expected result, where `number(t, row, column)` is an element of a table. Offsets must be
/// valid; out-of-range indices add nothing.
template <class Index, class NumberOf>
std::vector<float> expected_of(const EmbeddingForwardJob<Index>& job, const NumberOf& number) {
  const bool pooled = job.pooling != Pooling::kNone;
  std::vector<float> out((pooled ? job.bags.batch : job.bags.positions) * job.out_columns, 0.0f);
  for (int64_t bag = 0; bag < job.bags.count; ++bag) {
    const int64_t t = bag / job.bags.batch;
    const TbeTable table = job.tables.at(t);
    const TbeBag span = job.bags.at(bag);
    for (int64_t c = 0; c < table.columns; ++c) {
      double sum = 0;
      for (int64_t i = span.begin; i < span.begin + span.length; ++i) {
        const int64_t row = job.bags.row_at(i, table);
        const double weight = job.indice_weights == nullptr ? 1.0 : job.indice_weights[i];
        const double part = row < 0 ? 0.0 : weight * number(t, row, c);
        if (!pooled) out[i * job.out_columns + c] = static_cast<float>(part);
        sum += part;
      }
      if (job.pooling == Pooling::kMean && span.length > 0) sum /= static_cast<double>(span.length);
      if (pooled)
        out[bag % job.bags.batch * job.out_columns + table.out_column + c] =
            static_cast<float>(sum);
    }
  }
  return out;
}

template <class Job, class Lookup>
std::vector<float> result_of(const Job& job, Lookup& lookup, FloatDtype dtype, size_t count) {
  std::vector<float> result(count);
  with_float_type(dtype, [&](auto element) {
    std::vector<decltype(element)> out(count + 1);
    from_float(7.0f, out[count]);
    lookup.out_dtype = dtype;
    lookup.out = out.data();
    run_gpu(job, nullptr);
    for (size_t i = 0; i < count; ++i) result[i] = to_float(out[i]);
    CHECK(to_float(out[count]) == 7.0f);  // nothing is written past the result
  });
  return result;
}

const std::vector<std::vector<int64_t>> kDims = {{},       {4},          {1, 3, 8}, {16, 3},
                                                 {64, 16}, {130, 0, 33}, {260}};

template <class Number, class Index>
void numbers_are_pooled(FloatDtype weights_dtype, FloatDtype out_dtype, int64_t longest = 11) {
  for (const std::vector<int64_t>& dims : kDims) {
    for (const bool weighted : {false, true}) {
      Case<Index> c(dims, 5, longest);
      std::vector<Number> weights(c.tables.weights);
      for (Number& weight : weights) from_float(random_number(), weight);
      // Out-of-range indices.
      if (c.indices.size() > 3) {
        c.indices[1] = -1;
        c.indices[3] = static_cast<Index>(1) << 30;
      }
      for (const Pooling pooling : {Pooling::kSum, Pooling::kMean}) {
        auto job = c.job(weights.data(), pooling, weighted);
        job.weights_dtype = weights_dtype;
        const auto expected = expected_of(job, [&](int64_t t, int64_t row, int64_t column) {
          const TbeTable table = job.tables.at(t);
          return to_float(weights[table.first + row * table.stride + column]);
        });
        const auto got = result_of(job, job, out_dtype, expected.size());
        check_close(got, expected, out_dtype == FloatDtype::kFloat32 ? 1e-5f : 1e-2f);
      }
    }
  }
}

template <class Index>
void rows_are_copied_without_pooling() {
  for (const int64_t width : {1, 4, 16, 50, 200}) {
    Case<Index> c({width, width, width}, 4, 6);
    std::vector<float> weights(c.tables.weights);
    for (float& weight : weights) weight = random_number();
    // Positions after all bags, whose rows are 0.
    c.indices.push_back(0);
    c.indices.push_back(-7);
    c.indices[0] = 100;
    c.view();
    auto job = c.job(weights.data(), Pooling::kNone, false);
    const auto expected = expected_of(job, [&](int64_t t, int64_t row, int64_t column) {
      const TbeTable table = job.tables.at(t);
      return weights[table.first + row * table.stride + column];
    });
    CHECK(result_of(job, job, FloatDtype::kFloat32, expected.size()) == expected);
  }
}

template <class Index>
void codes_are_pooled(QuantizedLayout layout, int64_t alignment, int64_t longest = 9) {
  for (const std::vector<int64_t>& dims : kDims) {
    Case<Index> c(dims, 5, longest, layout.parameter_bytes(), alignment);
    std::vector<Word16> storage(c.tables.weights / 16 + 1);
    uint8_t* const weights = reinterpret_cast<uint8_t*>(storage.data());
    for (int64_t i = 0; i < c.tables.weights; ++i) weights[i] = static_cast<uint8_t>(random_bits());
    for (int64_t t = 0; t < c.tables.count; ++t) {
      const TbeTable table = c.tables.at(t);
      for (int64_t row = 0; row < table.rows; ++row) {
        uint8_t* const at =
            weights + table.first + row * table.stride + layout_of(layout, table).parameters_at();
        const float both[2] = {random_number() / 100, random_number()};
        Fp16 halves[2];
        for (int k = 0; k < 2; ++k) from_float(both[k], halves[k]);
        if (layout.dtype == ParameterDtype::kFloat32) {
          std::memcpy(at, both, sizeof(both));
        } else {
          std::memcpy(at, halves, sizeof(halves));
        }
      }
    }
    for (const Pooling pooling : {Pooling::kSum, Pooling::kMean, Pooling::kNone}) {
      if (pooling == Pooling::kNone && dims.size() > 1) continue;
      Int8EmbeddingForwardJob<Index> job{c.job(weights, pooling, pooling == Pooling::kMean),
                                         layout};
      const auto expected = expected_of(job.lookup, [&](int64_t t, int64_t row, int64_t column) {
        const TbeTable table = job.lookup.tables.at(t);
        const QuantizedLayout own = layout_of(layout, table);
        const uint8_t* const at = weights + table.first + row * table.stride;
        const RowScale scale = read_scale(at, own);
        return static_cast<float>(at[own.codes_at() + column]) * scale.scale + scale.bias;
      });
      check_close(result_of(job, job.lookup, FloatDtype::kFloat32, expected.size()), expected,
                  1e-4f);
    }
  }
}

/// Invalid offsets and tables: nothing out of bounds is read (the tests run under
/// UndefinedBehaviorSanitizer, and such addresses would be far outside the vectors), and the rest
/// is correct.
template <class Index>
void out_of_range_contents_are_empty() {
  Case<Index> c({8, 8, 8}, 3, 5);
  std::vector<float> weights(c.tables.weights);
  for (float& weight : weights) weight = random_number();
  const auto number = [&](int64_t t, int64_t row, int64_t column) {
    const TbeTable table = c.tables.at(t);
    return weights[table.first + row * table.stride + column];
  };
  c.offsets[2] = -5;
  c.offsets[5] = static_cast<Index>(1) << 30;
  c.weights_offsets[1] = INT64_MAX - 3;
  c.hash_size_cumsum[3] = INT64_MAX;
  auto job = c.job(weights.data(), Pooling::kSum, true);
  const auto expected = expected_of(job, number);
  CHECK(job.bags.at(1).length == 0 && job.bags.at(2).length == 0 && job.bags.at(4).length == 0);
  CHECK(job.tables.at(1).rows == 0 && job.tables.at(2).rows == 0 && job.tables.at(0).rows > 0);
  check_close(result_of(job, job, FloatDtype::kFloat32, expected.size()), expected, 1e-5f);
  auto rows = c.job(weights.data(), Pooling::kNone, false);
  result_of(rows, rows, FloatDtype::kFloat32, rows.bags.positions * rows.out_columns);

  // Columns that are out of range for the result are not written.
  c.D_offsets[1] = -8;
  c.D_offsets[2] = 1 << 30;
  auto wide = c.job(weights.data(), Pooling::kSum, false);
  for (int64_t t = 0; t < 3; ++t) CHECK(wide.tables.at(t).columns == 0);
  result_of(wide, wide, FloatDtype::kFloat32, 3 * wide.out_columns);
}

template <class Index>
void everything_of() {
  const FloatDtype f32 = FloatDtype::kFloat32;
  numbers_are_pooled<float, Index>(f32, f32);
  numbers_are_pooled<float, Index>(f32, f32, 150);
  numbers_are_pooled<float, Index>(f32, f32, 2);
  numbers_are_pooled<float, Index>(f32, FloatDtype::kFloat16);
  numbers_are_pooled<Fp16, Index>(FloatDtype::kFloat16, f32);
  numbers_are_pooled<Bf16, Index>(FloatDtype::kBFloat16, FloatDtype::kBFloat16);
  rows_are_copied_without_pooling<Index>();
  const auto kFirst = ParameterPlace::kFirst;
  const auto kLast = ParameterPlace::kLast;
  codes_are_pooled<Index>({0, ParameterDtype::kFloat32, kLast}, 1);
  codes_are_pooled<Index>({0, ParameterDtype::kFloat32, kLast}, 4);
  codes_are_pooled<Index>({0, ParameterDtype::kFloat16, kFirst}, 16);
  codes_are_pooled<Index>({0, ParameterDtype::kFloat16, kFirst}, 1);
  // Several turns of a team, in 32 and in 64 bits.
  codes_are_pooled<Index>({0, ParameterDtype::kFloat16, kFirst}, 4, 150);
  codes_are_pooled<Index>({0, ParameterDtype::kFloat32, kLast}, 1, 150);
  out_of_range_contents_are_empty<Index>();
}

}  // namespace

int main() {
  for (const gpu::ThreadOrder order : {gpu::ThreadOrder::kRising, gpu::ThreadOrder::kFalling}) {
    gpu::Emulator::instance().order = order;
    everything_of<int32_t>();
    everything_of<int64_t>();
  }
}
