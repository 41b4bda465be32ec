// The GPU kernels of offsets_range and segment_sum_csr, run by the emulator.

#define PINWHEEL_GPU_EMULATOR 1

#include "../../csrc/gpu/ranges.cu"

#include <random>
#include <vector>

#include "check.h"

using namespace pinwheel;

namespace {

template <class Index>
std::vector<Index> random_offsets(std::mt19937& random, int64_t segments, int longest) {
  std::vector<Index> offsets = {0};
  for (int64_t s = 0; s < segments; ++s) {
    offsets.push_back(offsets.back() + static_cast<Index>(random() % (longest + 1)));
  }
  return offsets;
}

template <class Index>
void spoil(std::mt19937& random, std::vector<Index>& offsets) {
  for (Index& offset : offsets) {
    if (random() % 3 == 0) offset = static_cast<Index>(static_cast<int64_t>(random() % 99) - 40);
  }
}

template <class Index>
void ranges_match_a_loop() {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const bool tiled = round % 6 == 0;  // segments within a tile and over several
    const bool many = round % 12 == 3;  // more starts than a block reads at once
    const int64_t segments = many ? 2100 : tiled ? 20 + round : random() % 30;
    const auto offsets = random_offsets<Index>(
        random, segments, tiled ? (round % 12 == 0 ? 400 : 20) : 1 + random() % 9);
    const int64_t size = offsets.back() + static_cast<int64_t>(random() % 3);
    std::vector<Index> out(size + 4, Index{-5});
    run_gpu(OffsetsRangeJob<Index>{offsets.data(), static_cast<int64_t>(offsets.size()), out.data(),
                                   size},
            nullptr);
    for (size_t s = 0; s < offsets.size(); ++s) {
      const int64_t end = s + 1 < offsets.size() ? static_cast<int64_t>(offsets[s + 1]) : size;
      for (int64_t at = offsets[s]; at < end; ++at) CHECK(out[at] == at - offsets[s]);
    }
    for (size_t at = size; at < out.size(); ++at) CHECK(out[at] == -5);
  }
}

template <class Element, class Index>
void sums_are_those_of_a_loop(SumDtype dtype) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    const bool long_ones = round % 8 == 0;  // one block per segment, at least if there are few
    const int64_t segments = long_ones ? 2 : 1 + random() % 30;
    const int longest = round % 16 == 0 ? 20000 : long_ones ? 1500 : 50;
    const auto offsets = random_offsets<Index>(random, segments, longest);
    const int64_t unit = 1 + random() % 3;
    const int64_t shift = random() % 2;  // of the address: packs or single elements
    const int64_t size = offsets.back() * unit + static_cast<int64_t>(random() % 3);
    std::vector<Element> stored(size + shift + 1);
    for (Element& value : stored) {
      from_sum(static_cast<typename SumOf<Element>::type>(random() % 2), value);
    }
    const Element* const values = stored.data() + shift;
    std::vector<Element> out(segments);
    run_gpu(SegmentSumJob<Index>{dtype, offsets.data(), segments, unit, values, size, out.data()},
            nullptr);
    for (int64_t s = 0; s < segments; ++s) {
      typename SumOf<Element>::type sum = 0;
      for (int64_t i = offsets[s] * unit; i < offsets[s + 1] * unit; ++i) sum += to_sum(values[i]);
      Element expected;
      from_sum(sum, expected);
      CHECK(memcmp(&expected, &out[s], sizeof(Element)) == 0);
    }
  }
}

/// Nothing is written past a result, and no sum includes memory outside the values.
template <class Index>
void hostile_offsets_are_harmless() {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    auto offsets = random_offsets<Index>(random, 1 + random() % 8, 6);
    const int64_t size = offsets.back();
    spoil(random, offsets);
    const int64_t segments = static_cast<int64_t>(offsets.size()) - 1;
    std::vector<Index> range(size + 1, Index{-77});
    run_gpu(OffsetsRangeJob<Index>{offsets.data(), segments + 1, range.data(), size}, nullptr);
    CHECK(range.back() == -77);
    const std::vector<int32_t> values(size + 1, 1);
    std::vector<int32_t> sums(segments + 1, -77);
    run_gpu(SegmentSumJob<Index>{SumDtype::kInt32, offsets.data(), segments, 1, values.data(), size,
                                 sums.data()},
            nullptr);
    CHECK(sums.back() == -77);
    sums.pop_back();
    for (const int32_t sum : sums) CHECK(sum >= 0 && sum <= size);
  }
}

void everything() {
  ranges_match_a_loop<int32_t>();
  ranges_match_a_loop<int64_t>();
  sums_are_those_of_a_loop<float, int64_t>(SumDtype::kFloat32);
  sums_are_those_of_a_loop<Fp16, int32_t>(SumDtype::kFloat16);
  sums_are_those_of_a_loop<Bf16, int64_t>(SumDtype::kBFloat16);
  sums_are_those_of_a_loop<double, int32_t>(SumDtype::kFloat64);
  sums_are_those_of_a_loop<int32_t, int64_t>(SumDtype::kInt32);
  sums_are_those_of_a_loop<int64_t, int32_t>(SumDtype::kInt64);
  hostile_offsets_are_harmless<int32_t>();
  hostile_offsets_are_harmless<int64_t>();
}

}  // namespace

int main() {
  everything();
  gpu::Emulator::instance().order = gpu::ThreadOrder::kFalling;
  everything();
}
