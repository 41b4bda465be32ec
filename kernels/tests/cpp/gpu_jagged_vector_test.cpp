// The GPU kernels of batched_dense_vec_jagged_2d_mul, run by the emulator and compared with loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/jagged_vector.cu"

#include <cmath>
#include <random>
#include <vector>

#include "check.h"
#include "jagged_example.h"

using namespace pinwheel;

namespace {

template <class Element>
std::vector<Element> random_elements(std::mt19937& random, int64_t count) {
  std::uniform_int_distribution<int> numbers(-4, 4);
  std::vector<Element> elements(count + 1);
  for (Element& element : elements)
    from_float(static_cast<Wide<Element>>(numbers(random)), element);
  return elements;
}

/// Small integers: sums are exact in every order, so that results are compared for equality.
template <class Element, class Index>
void products_match_a_loop(RealDtype dtype) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    JaggedExample<Index> example = random_jagged_example<Index>(random, 1);
    const JaggedView<Index>& view = example.view;
    const int64_t heads = 1 + random() % 3;
    const int64_t columns = std::vector<int64_t>{1, 3, 4, 8, 40}[random() % 5];
    const int64_t shift = random() % 2;
    const int64_t length = view.max_length[0];
    const int64_t vectors = view.groups[0] * heads;
    const auto v = random_elements<Element>(random, vectors * length);
    const auto values_at =
        random_elements<Element>(random, view.value_rows * heads * columns + shift);
    const Element* const values = values_at.data() + shift;
    const auto gradient = random_elements<Element>(random, vectors * columns);
    JaggedVectorShape<Index> shape{view, dtype, heads, columns};
    auto out = random_elements<Element>(random, vectors * columns);
    auto d_v = random_elements<Element>(random, vectors * length);
    auto d_values = random_elements<Element>(random, view.value_rows * heads * columns);
    run_gpu(VectorTimesJaggedJob<Index>{shape, v.data(), values, out.data()}, nullptr);
    run_gpu(VectorGradientJob<Index>{shape, gradient.data(), values, d_v.data()}, nullptr);
    run_gpu(JaggedGradientJob<Index>{shape, gradient.data(), v.data(), d_values.data()}, nullptr);

    std::vector<float> expected_d_values(view.value_rows * heads * columns, 0.0f);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      const int64_t begin = example.offsets[0][vector / heads];
      const int64_t end = example.offsets[0][vector / heads + 1];
      std::vector<float> sums(columns, 0.0f);
      for (int64_t l = 0; l < length; ++l) {
        float dot = 0;
        for (int64_t c = 0; c < columns && begin + l < end; ++c) {
          const int64_t at = ((begin + l) * heads + vector % heads) * columns + c;
          const float weight = to_float(v[vector * length + l]);
          const float grad = to_float(gradient[vector * columns + c]);
          sums[c] += weight * to_float(values[at]);
          dot += grad * to_float(values[at]);
          expected_d_values[at] = weight * grad;
        }
        CHECK(to_float(d_v[vector * length + l]) == dot);
      }
      for (int64_t c = 0; c < columns; ++c) CHECK(to_float(out[vector * columns + c]) == sums[c]);
    }
    for (size_t i = 0; i < expected_d_values.size(); ++i) {
      CHECK(to_float(d_values[i]) == expected_d_values[i]);
    }
  }
}

int parts_of(int64_t groups, int64_t rows_per_group, int64_t packs_per_row) {
  JaggedVectorShape<int32_t> shape;
  shape.jagged.depth = 1;
  shape.jagged.groups[0] = groups;
  shape.jagged.value_rows = groups * rows_per_group;
  return jagged_vector_kernels::parts_for(shape, groups * packs_per_row);
}

void lanes_share_rows() {
  CHECK(parts_of(16384, 50, 32) == 4);    // to even out groups of unequal length
  CHECK(parts_of(1 << 20, 50, 32) == 1);  // enough packs
  CHECK(parts_of(16384, 7, 32) == 1);     // too few rows for each
  CHECK(parts_of(512, 10, 32) == 8);      // a row for each
  CHECK(parts_of(1024, 25, 2) == 16);     // rows are short: packs of several rows at once
  CHECK(parts_of(4096, 100, 4) == 8);     // at least 4 adjacent packs
  CHECK(parts_of(1, 100000, 4) == 32);    // too few threads for that
  CHECK(parts_of(1, 100000, 1) == 32);
}

template <class Index>
void hostile_offsets_are_harmless() {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    JaggedExample<Index> example = random_jagged_example<Index>(random, 1);
    example.spoil(random);
    const JaggedView<Index>& view = example.view;
    const int64_t vectors = view.groups[0] * 2;
    const std::vector<float> v(vectors * view.max_length[0] + 1, 1.0f);
    const std::vector<float> values(view.value_rows * 8 + 1, 1.0f);
    const std::vector<float> gradient(vectors * 4 + 1, 1.0f);
    JaggedVectorShape<Index> shape{view, RealDtype::kFloat32, 2, 4};
    std::vector<float> out(vectors * 4);
    std::vector<float> d_v(v.size() - 1);
    std::vector<float> d_values(values.size() - 1);
    run_gpu(VectorTimesJaggedJob<Index>{shape, v.data(), values.data(), out.data()}, nullptr);
    run_gpu(VectorGradientJob<Index>{shape, gradient.data(), values.data(), d_v.data()}, nullptr);
    run_gpu(JaggedGradientJob<Index>{shape, gradient.data(), v.data(), d_values.data()}, nullptr);
    for (const float sum : out) CHECK(sum >= 0 && sum <= static_cast<float>(view.max_length[0]));
    for (const float dot : d_v) CHECK(dot == 0 || dot == 4);
    for (const float product : d_values) CHECK(product == 0 || product == 1);
  }
}

void everything() {
  lanes_share_rows();
  products_match_a_loop<float, int32_t>(RealDtype::kFloat32);
  products_match_a_loop<float, int64_t>(RealDtype::kFloat32);
  products_match_a_loop<Fp16, int64_t>(RealDtype::kFloat16);
  products_match_a_loop<double, int32_t>(RealDtype::kFloat64);
  hostile_offsets_are_harmless<int32_t>();
  hostile_offsets_are_harmless<int64_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
