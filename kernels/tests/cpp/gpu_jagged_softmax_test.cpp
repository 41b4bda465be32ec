// The GPU kernels of jagged_softmax, run by the emulator and compared with plain loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/jagged_softmax.cu"

#include <cmath>
#include <random>
#include <vector>

#include "check.h"
#include "jagged_example.h"

using namespace pinwheel;

namespace {

bool close(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
}

template <class Element, class Index>
void columns_match_a_loop(RealDtype dtype, double tolerance) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(-6.0f, 6.0f);
  for (int round = 0; round < 30; ++round) {
    const int64_t columns = std::vector<int64_t>{1, 2, 3, 8, 33, 64}[round % 6];
    const int longest = round % 3 == 0 ? 120 : 6;
    std::vector<Index> offsets = {0};
    for (int g = 0; g < 5; ++g) {
      offsets.push_back(offsets.back() + static_cast<Index>(random() % longest));
    }
    JaggedView<Index> view;
    view.depth = 1;
    view.value_rows = offsets.back() + 2;
    view.offsets[0] = offsets.data();
    view.groups[0] = 5;
    view.max_length[0] = static_cast<int64_t>(random() % longest);
    const int64_t size = view.value_rows * columns;
    std::vector<Element> values(size);
    std::vector<Element> gradient(size);
    for (Element& value : values) from_float(static_cast<Wide<Element>>(numbers(random)), value);
    for (Element& value : gradient) from_float(static_cast<Wide<Element>>(numbers(random)), value);
    std::vector<Element> out(size, gradient[0]);
    std::vector<Element> d_values(size, gradient[0]);
    run_gpu(JaggedSoftmaxJob<Index>{view, dtype, values.data(), out.data(), columns}, nullptr);
    run_gpu(JaggedSoftmaxGradientJob<Index>{view, dtype, gradient.data(), out.data(),
                                            d_values.data(), columns},
            nullptr);

    std::vector<double> expected(size, 0.0);
    std::vector<double> expected_d(size, 0.0);
    for (int g = 0; g < 5; ++g) {
      const int64_t length = std::min<int64_t>(offsets[g + 1] - offsets[g], view.max_length[0]);
      for (int64_t c = 0; c < columns; ++c) {
        double sum = 0;
        double dot = 0;
        const auto at = [&](int64_t l) { return (offsets[g] + l) * columns + c; };
        for (int64_t l = 0; l < length; ++l) sum += std::exp(double{to_float(values[at(l)])});
        for (int64_t l = 0; l < length; ++l) {
          expected[at(l)] = std::exp(double{to_float(values[at(l)])}) / sum;
          dot += double{to_float(out[at(l)])} * to_float(gradient[at(l)]);
        }
        for (int64_t l = 0; l < length; ++l) {
          expected_d[at(l)] = to_float(out[at(l)]) * (to_float(gradient[at(l)]) - dot);
        }
      }
    }
    for (int64_t i = 0; i < size; ++i) {
      CHECK(close(to_float(out[i]), expected[i], tolerance));
      CHECK(close(to_float(d_values[i]), expected_d[i], 4 * tolerance));
    }
  }
}

/// Many short groups, one warp each, and rows that no group's threads write.
void many_groups_match_a_loop() {
  constexpr int64_t kGroups = 9000;
  constexpr int64_t kColumns = 4;
  std::vector<int32_t> offsets;
  for (int64_t g = 0; g <= kGroups; ++g) offsets.push_back(static_cast<int32_t>(1 + 3 * g));
  JaggedView<int32_t> view;
  view.depth = 1;
  view.value_rows = offsets.back() + 2;
  view.offsets[0] = offsets.data();
  view.groups[0] = kGroups;
  view.max_length[0] = 2;
  std::vector<float> values(view.value_rows * kColumns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i / kColumns % 3 == 1 ? 0.0f : 1.0f;
  values[kColumns] = -INFINITY;
  std::vector<float> out(values.size(), -7.0f);
  run_gpu(JaggedSoftmaxJob<int32_t>{view, RealDtype::kFloat32, values.data(), out.data(), kColumns},
          nullptr);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / kColumns;
    const bool used = row % 3 != 0 && row < offsets.back();
    double expected = row % 3 == 1 ? 1 / (1 + std::exp(1.0)) : 1 / (1 + std::exp(-1.0));
    if (i == kColumns) expected = 0;
    if (i == 2 * kColumns) expected = 1;
    CHECK(close(out[i], used ? expected : 0, 1e-6));
  }
}

template <class Index>
void hostile_offsets_are_harmless() {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    JaggedExample<Index> example = random_jagged_example<Index>(random, 1);
    example.spoil(random);
    const int64_t size = example.view.value_rows * 3;
    const std::vector<float> values(size + 1, 1.0f);
    std::vector<float> out(size + 1, -7.0f);
    run_gpu(
        JaggedSoftmaxJob<Index>{example.view, RealDtype::kFloat32, values.data(), out.data(), 3},
        nullptr);
    CHECK(out.back() == -7.0f);
    out.pop_back();
    for (const float share : out) CHECK(share >= 0 && share <= 1);
  }
}

void everything() {
  columns_match_a_loop<float, int32_t>(RealDtype::kFloat32, 1e-5);
  columns_match_a_loop<float, int64_t>(RealDtype::kFloat32, 1e-5);
  columns_match_a_loop<Fp16, int64_t>(RealDtype::kFloat16, 2e-3);
  columns_match_a_loop<double, int32_t>(RealDtype::kFloat64, 1e-12);
  many_groups_match_a_loop();
  hostile_offsets_are_harmless<int32_t>();
  hostile_offsets_are_harmless<int64_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
