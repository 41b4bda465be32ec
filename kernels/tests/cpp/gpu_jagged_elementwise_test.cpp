// The GPU kernels of jagged sums and products, run by the emulator and compared with plain loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/jagged_elementwise.cu"

#include <random>
#include <vector>

#include "check.h"
#include "jagged_example.h"

using namespace pinwheel;

namespace {

/// The dense row of each value row, by trying all dense rows.
template <class Index>
std::vector<int64_t> places_of(const JaggedExample<Index>& example) {
  std::vector<int64_t> places(example.view.value_rows, -1);
  for (int64_t row = 0; row < example.dense_rows; ++row) {
    const int64_t value = value_row_of(example.view, row);
    if (value >= 0) places[value] = row;
  }
  return places;
}

template <class Element>
std::vector<Element> random_elements(std::mt19937& random, int64_t count) {
  std::uniform_real_distribution<float> numbers(-4.0f, 4.0f);
  std::vector<Element> elements(count + 1);
  for (Element& element : elements)
    from_float(static_cast<Wide<Element>>(numbers(random)), element);
  return elements;
}

template <class Element>
bool same(const Element& a, const Element& b) {
  return memcmp(&a, &b, sizeof(Element)) == 0;
}

template <class Element>
Element combined(Combine how, Element a, Element b) {
  const Wide<Element> first = to_float(a);
  const Wide<Element> second = to_float(b);
  Element result{};
  from_float(how == Combine::kAdd ? first + second : first * second, result);
  return result;
}

template <class Element, class Index>
void rows_are_combined(RealDtype dtype) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    JaggedExample<Index> example = random_jagged_example<Index>(random, 1 + round % 5);
    const int64_t width = std::vector<int64_t>{1, 3, 4, 8, 16}[random() % 5];
    const int64_t shift = random() % 2;  // of the input's address: packs or single elements
    const Combine how = round % 2 == 0 ? Combine::kAdd : Combine::kMultiply;
    const auto values =
        random_elements<Element>(random, (example.view.value_rows + 1) * width + shift);
    const auto other =
        random_elements<Element>(random, (example.view.value_rows + 1) * width + shift);
    const auto dense = random_elements<Element>(random, (example.dense_rows + 1) * width + shift);
    const Element* const x = values.data() + shift;
    const Element* const y = dense.data() + shift;
    const std::vector<int64_t> places = places_of(example);

    auto out = random_elements<Element>(random, example.view.value_rows * width);
    CombineToJaggedJob<Index> to_jagged{example.view, dtype, how, x, y, out.data(), width};
    run_gpu(to_jagged, nullptr);
    for (int64_t i = 0; i < example.view.value_rows * width; ++i) {
      const int64_t place = places[i / width];
      const Element alone = how == Combine::kAdd ? x[i] : Element{};
      CHECK(same(out[i], place < 0 ? alone : combined(how, x[i], y[place * width + i % width])));
    }

    const Element* const second = how == Combine::kAdd ? y : other.data() + shift;
    auto whole = random_elements<Element>(random, example.dense_rows * width);
    CombineToDenseJob<Index> to_dense{example.view, dtype,        how,   x,
                                      second,       whole.data(), width, example.dense_rows};
    run_gpu(to_dense, nullptr);
    for (int64_t i = 0; i < example.dense_rows * width; ++i) {
      const int64_t row = value_row_of(example.view, i / width);
      const int64_t at = row * width + i % width;
      const Element alone = how == Combine::kAdd ? y[i] : Element{};
      const Element both =
          row < 0 ? alone : combined(how, x[at], how == Combine::kAdd ? y[i] : second[at]);
      CHECK(same(whole[i], both));
    }
  }
}

/// Runs on invalid offsets: an out-of-bounds access would be caught by -fsanitize or crash; memory
/// past the results must be unchanged.
template <class Index>
void hostile_offsets_are_harmless() {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    JaggedExample<Index> example = random_jagged_example<Index>(random, 1 + round % 5);
    example.spoil(random);
    const std::vector<float> values(example.view.value_rows * 4 + 1, 1.0f);
    const std::vector<float> dense(example.dense_rows * 4 + 1, 2.0f);
    std::vector<float> out(example.view.value_rows * 4 + 1, -7.0f);
    run_gpu(CombineToJaggedJob<Index>{example.view, RealDtype::kFloat32, Combine::kAdd,
                                      values.data(), dense.data(), out.data(), 4},
            nullptr);
    CHECK(out.back() == -7.0f);
    out.pop_back();
    for (const float number : out) CHECK(number == 1.0f || number == 3.0f);
    std::vector<float> whole(example.dense_rows * 4 + 1, -7.0f);
    run_gpu(
        CombineToDenseJob<Index>{example.view, RealDtype::kFloat32, Combine::kMultiply,
                                 values.data(), values.data(), whole.data(), 4, example.dense_rows},
        nullptr);
    CHECK(whole.back() == -7.0f);
    whole.pop_back();
    for (const float number : whole) CHECK(number == 0.0f || number == 1.0f);
  }
}

void everything() {
  rows_are_combined<float, int32_t>(RealDtype::kFloat32);
  rows_are_combined<float, int64_t>(RealDtype::kFloat32);
  rows_are_combined<Fp16, int64_t>(RealDtype::kFloat16);
  rows_are_combined<Bf16, int32_t>(RealDtype::kBFloat16);
  rows_are_combined<double, int64_t>(RealDtype::kFloat64);
  hostile_offsets_are_harmless<int32_t>();
  hostile_offsets_are_harmless<int64_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
