// The index functions of jagged tensors, run for every row as GPU threads would run them.

#include "index/jagged.h"

#include <random>
#include <vector>

#include "check.h"
#include "jagged_example.h"
#include "jobs/jagged.h"
#include "units/jagged_units.h"

using namespace pinwheel;

namespace {

template <class Index>
JaggedExample<Index> random_example(std::mt19937& random) {
  return random_jagged_example<Index>(random, static_cast<int>(1 + random() % kMaxJaggedDepth));
}

template <class Index>
void dense_rows_and_value_rows_are_inverse_to_each_other() {
  std::mt19937 random(1);
  int64_t shown = 0;
  for (int round = 0; round < 2000; ++round) {
    const JaggedExample<Index> example = random_example<Index>(random);
    std::vector<int> seen(example.view.value_rows, 0);
    for (int64_t row = 0; row < example.dense_rows; ++row) {
      const int64_t value = value_row_of(example.view, row);
      CHECK(value >= -1 && value < example.view.value_rows);
      if (value < 0) continue;
      CHECK(dense_row_of(example.view, value) == row);
      CHECK(++seen[value] == 1);
      ++shown;
    }
    for (int64_t value = 0; value < example.view.value_rows; ++value) {
      const int64_t row = dense_row_of(example.view, value);
      CHECK((row >= 0) == (seen[value] == 1));
    }
  }
  CHECK(shown > 1000);
}

template <class Index>
void out_of_range_offsets_are_harmless() {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    JaggedExample<Index> example = random_example<Index>(random);
    example.spoil(random);
    for (int64_t row = 0; row < example.dense_rows; ++row) {
      const int64_t value = value_row_of(example.view, row);
      CHECK(value >= -1 && value < example.view.value_rows);
    }
    for (int64_t value = 0; value < example.view.value_rows; ++value) {
      const int64_t row = dense_row_of(example.view, value);
      CHECK(row >= -1 && row < example.dense_rows);
    }
  }
}

/// Moving every word as both GPU kernels do yields the dense form and converts it back.
template <class Word, class Index>
void units_move_whole_rows() {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const JaggedExample<Index> example = random_example<Index>(random);
    const int64_t words = 1 + static_cast<int64_t>(random() % 3);
    const int64_t row_bytes = words * static_cast<int64_t>(sizeof(Word));
    std::vector<unsigned char> values(example.view.value_rows * row_bytes + 1);
    for (unsigned char& byte : values) byte = static_cast<unsigned char>(1 + random() % 200);
    std::vector<unsigned char> dense(example.dense_rows * row_bytes + 1, 255);

    JaggedToDenseJob<Index> there;
    there.jagged = example.view;
    there.values = values.data();
    there.dense = dense.data();
    there.row_bytes = row_bytes;
    there.dense_rows = example.dense_rows;
    for (int at = 0; at < 16; ++at) there.padding[at] = static_cast<unsigned char>(230 + at);
    for (int64_t i = 0; i < example.dense_rows * words; ++i) {
      const int64_t value_row = value_row_of(example.view, i / words);
      static_cast<Word*>(there.dense)[i] = dense_word<Word>(there, i, value_row, i % words);
    }
    for (int64_t row = 0; row < example.dense_rows; ++row) {
      const int64_t value = value_row_of(example.view, row);
      for (int64_t at = 0; at < row_bytes; ++at) {
        const int64_t place = row * row_bytes + at;
        CHECK(dense[place] == (value < 0 ? 230 + place % 16 : values[value * row_bytes + at]));
      }
    }

    std::vector<unsigned char> back(values.size(), 255);
    DenseToJaggedJob<Index> again;
    again.jagged = example.view;
    again.dense = dense.data();
    again.values = back.data();
    again.row_bytes = row_bytes;
    for (int64_t i = 0; i < example.view.value_rows * words; ++i) {
      const int64_t dense_row = dense_row_of(example.view, i / words);
      static_cast<Word*>(again.values)[i] = value_word<Word>(again, dense_row, i % words);
    }
    for (int64_t value = 0; value < example.view.value_rows; ++value) {
      const bool shown = dense_row_of(example.view, value) >= 0;
      for (int64_t at = value * row_bytes; at < (value + 1) * row_bytes; ++at) {
        CHECK(back[at] == (shown ? values[at] : 0));
      }
    }
  }
}

void positions_beyond_32_bits_are_found() {
  const std::vector<int64_t> offsets = {0, int64_t{1} << 33, int64_t{1} << 40};
  CHECK(segment_of(offsets.data(), 2, (int64_t{1} << 33) - 1) == 0);
  CHECK(segment_of(offsets.data(), 2, int64_t{1} << 33) == 1);
  CHECK(segment_of(offsets.data(), 2, int64_t{1} << 40) == -1);
  JaggedView<int64_t> view;
  view.depth = 1;
  view.value_rows = int64_t{1} << 40;
  view.offsets[0] = offsets.data();
  view.groups[0] = 2;
  view.max_length[0] = int64_t{1} << 41;
  CHECK(value_row_of(view, (int64_t{1} << 41) + 5) == (int64_t{1} << 33) + 5);
  CHECK(dense_row_of(view, (int64_t{1} << 33) + 5) == (int64_t{1} << 41) + 5);
}

}  // namespace

int main() {
  dense_rows_and_value_rows_are_inverse_to_each_other<int32_t>();
  dense_rows_and_value_rows_are_inverse_to_each_other<int64_t>();
  out_of_range_offsets_are_harmless<int32_t>();
  out_of_range_offsets_are_harmless<int64_t>();
  units_move_whole_rows<uint8_t, int32_t>();
  units_move_whole_rows<uint32_t, int64_t>();
  units_move_whole_rows<Word16, int64_t>();
  positions_beyond_32_bits_are_found();
}
