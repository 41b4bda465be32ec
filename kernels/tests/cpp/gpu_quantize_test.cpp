// The GPU kernels of the quantizing operators, run by the emulator and compared with plain loops.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/quantize.cu"

#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

template <class Element>
void rows_are_quantized(FloatDtype dtype, int64_t shift) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> numbers(-5.0f, 5.0f);
  for (const int64_t columns :
       {0, 1, 3, 4, 5, 8, 24, 32, 33, 64, 127, 128, 260, 300, 1024, 1032, 2056}) {
    const int64_t rows = 19;
    std::vector<Element> numbers_of_rows(rows * columns + 16);
    // With rows aligned to 16 bytes and unaligned ones.
    Element* const aligned = reinterpret_cast<Element*>(
        (reinterpret_cast<uintptr_t>(numbers_of_rows.data()) + 15) / 16 * 16);
    Element* const in = aligned + shift;
    for (Element& element : numbers_of_rows) from_float(numbers(random), element);
    QuantizedLayout layout;
    layout.row_bytes = (columns + 3) / 4 * 4 + 8;
    std::vector<uint32_t> storage(rows * layout.row_bytes / 4, 0xffffffffu);
    uint8_t* const out = reinterpret_cast<uint8_t*>(storage.data());
    run_gpu(QuantizeJob{dtype, in, out, rows, columns, layout}, nullptr);
    std::vector<float> back(rows * layout.codes());
    run_gpu(DequantizeJob{FloatDtype::kFloat32, out, back.data(), rows, layout}, nullptr);
    for (int64_t r = 0; r < rows; ++r) {
      float least = columns > 0 ? to_float(in[r * columns]) : 0.0f;
      float most = least;
      for (int64_t i = 0; i < columns; ++i) {
        least = std::min(least, to_float(in[r * columns + i]));
        most = std::max(most, to_float(in[r * columns + i]));
      }
      const RowScale scale = read_scale(out + r * layout.row_bytes, layout);
      CHECK(scale.bias == least);
      CHECK(scale.scale == (most - least) / 255.0f);
      for (int64_t i = 0; i < columns; ++i) {
        const float error = back[r * layout.codes() + i] - to_float(in[r * columns + i]);
        CHECK(error <= 0.501f * scale.scale && -error <= 0.501f * scale.scale);
      }
      for (int64_t i = columns; i < layout.codes(); ++i) CHECK(out[r * layout.row_bytes + i] == 0);
    }
  }
}

/// Every layout, also with unaligned rows of codes.
template <class Element>
void codes_are_dequantized(FloatDtype dtype) {
  std::mt19937 random(5);
  for (const ParameterDtype parameters : {ParameterDtype::kFloat32, ParameterDtype::kFloat16}) {
    for (const ParameterPlace place : {ParameterPlace::kFirst, ParameterPlace::kLast}) {
      for (const int64_t columns : {0, 1, 4, 7, 8, 12, 16, 64, 100, 256, 520}) {
        for (const int64_t shift : {0, 1, 4, 8}) {
          QuantizedLayout layout{0, parameters, place};
          layout.row_bytes = columns + layout.parameter_bytes();
          const int64_t rows = 21;
          std::vector<uint64_t> storage(rows * layout.row_bytes / 8 + 3);
          uint8_t* const in = reinterpret_cast<uint8_t*>(storage.data()) + shift;
          for (int64_t i = 0; i < rows * layout.row_bytes; ++i) {
            in[i] = static_cast<uint8_t>(random() % 60);  // no parameter is infinite or NaN
          }
          std::vector<Element> out(rows * columns + 8);
          run_gpu(DequantizeJob{dtype, in, out.data(), rows, layout}, nullptr);
          for (int64_t i = 0; i < rows * columns; ++i) {
            const uint8_t* const row = in + i / columns * layout.row_bytes;
            const RowScale value = read_scale(row, layout);
            const float code = row[layout.codes_at() + i % columns];
            Element expected{};
            from_float(code * value.scale + value.bias, expected);
            CHECK(to_float(out[i]) == to_float(expected));
          }
        }
      }
    }
  }
}

void everything() {
  for (const int64_t shift : {0, 1, 4}) {
    rows_are_quantized<float>(FloatDtype::kFloat32, shift);
    rows_are_quantized<Fp16>(FloatDtype::kFloat16, shift);
    rows_are_quantized<Bf16>(FloatDtype::kBFloat16, shift);
  }
  codes_are_dequantized<float>(FloatDtype::kFloat32);
  codes_are_dequantized<Fp16>(FloatDtype::kFloat16);
  codes_are_dequantized<Bf16>(FloatDtype::kBFloat16);
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
