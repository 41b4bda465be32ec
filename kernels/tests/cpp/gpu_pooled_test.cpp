// The GPU kernel of permute_pooled_embs, run by the emulator and compared with the obvious loop.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/pooled.cu"

#include <cstring>
#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

using Random = std::mt19937;

struct Example {
  std::vector<int64_t> permute;
  std::vector<int64_t> in_offsets = {0};
  std::vector<int64_t> out_offsets = {0};
  int64_t rows = 0;
  int64_t row_elements = 0;
  int64_t element_bytes = 1;
};

Example random_example(Random& random) {
  Example example;
  const int64_t features = random() % 7;
  const int64_t step = std::vector<int64_t>{1, 4, 16, 37}[random() % 4];
  std::vector<int64_t> dims;
  for (int64_t t = 0; t < features; ++t) {
    dims.push_back(static_cast<int64_t>(random() % 5) * step);
    example.in_offsets.push_back(example.in_offsets.back() + dims.back());
    example.permute.push_back(t);
  }
  std::shuffle(example.permute.begin(), example.permute.end(), random);
  for (const int64_t feature : example.permute) {
    example.out_offsets.push_back(example.out_offsets.back() + dims[feature]);
  }
  example.rows = random() % 20;
  example.row_elements = example.in_offsets.back();
  example.element_bytes = int64_t{1} << random() % 4;
  return example;
}

/// Results with guards around them.
struct Result {
  static constexpr size_t kGuard = 64;
  std::vector<unsigned char> in;
  std::vector<unsigned char> out;

  Result(const Example& example, Random& random) {
    const int64_t bytes = example.rows * example.row_elements * example.element_bytes;
    // Sometimes unaligned: not every tensor begins at a multiple of 16 bytes.
    const size_t odd = random() % 2 == 0 ? 0 : example.element_bytes;
    in.resize(bytes + kGuard);
    for (unsigned char& byte : in) byte = static_cast<unsigned char>(1 + random() % 250);
    out.assign(bytes + 2 * kGuard, 255);
    PooledJob job;
    job.in = in.data() + odd;
    job.out = out.data() + kGuard;
    job.rows = example.rows;
    job.row_elements = example.row_elements;
    job.element_bytes = example.element_bytes;
    job.segments = static_cast<int64_t>(example.permute.size());
    job.permute = example.permute.data();
    job.in_offsets = example.in_offsets.data();
    job.out_offsets = example.out_offsets.data();
    run_gpu(job, nullptr);
    for (size_t at = 0; at < kGuard; ++at) {
      CHECK(out[at] == 255);
      CHECK(out[out.size() - 1 - at] == 255);
    }
    in.erase(in.begin(), in.begin() + odd);
    in.resize(bytes);
    out = std::vector<unsigned char>(out.begin() + kGuard, out.end() - kGuard);
  }
};

void permuted_columns_match_a_loop() {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const Example example = random_example(random);
    const Result result(example, random);
    std::vector<unsigned char> expected;
    for (int64_t row = 0; row < example.rows; ++row) {
      for (const int64_t feature : example.permute) {
        const int64_t begin = row * example.row_elements + example.in_offsets[feature];
        const int64_t end = row * example.row_elements + example.in_offsets[feature + 1];
        expected.insert(expected.end(), result.in.begin() + begin * example.element_bytes,
                        result.in.begin() + end * example.element_bytes);
      }
    }
    CHECK(result.out == expected);
  }
}

/// Every byte of the result is written, with a byte of the same row or 0, and nothing outside it.
void out_of_range_lists_are_harmless() {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    Example example = random_example(random);
    for (auto* list : {&example.permute, &example.in_offsets, &example.out_offsets}) {
      for (int64_t& number : *list) {
        if (random() % 3 == 0) number = static_cast<int64_t>(random() % 400) - 200;
      }
    }
    const Result result(example, random);
    for (const unsigned char byte : result.out) CHECK(byte != 255);
  }
}

void everything() {
  permuted_columns_match_a_loop();
  out_of_range_lists_are_harmless();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
