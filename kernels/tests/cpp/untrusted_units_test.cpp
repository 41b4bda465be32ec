// The functions of untrusted_units.cu on the CPU, for all contents at the limits of int64: overflow
// is an error of the sanitizer. test_nvcc_arithmetic.py runs what nvcc makes of them.

#define __global__
#define __device__

#include "untrusted_units.cu"

#include <vector>

#include "check.h"

namespace {

using Unit = void (*)(const int64_t*, int64_t, int64_t*);

void ranges_are_in_bounds(Unit unit, const std::vector<int64_t>& numbers, int64_t limit) {
  int64_t out[6] = {};
  unit(numbers.data(), limit, out);
  for (const int64_t* range : {out, out + 3}) {
    CHECK(range[0] >= 0 && range[1] >= 0);
    CHECK(range[0] <= range[2] && range[1] <= range[2] - range[0]);
  }
}

/// Every combination of `count` contents, with the constants that the units expect behind them.
void holds_for_any_contents(Unit unit, size_t count) {
  const std::vector<int64_t> contents = {
      INT64_MIN, INT64_MIN + 1,    INT64_MIN + 20,   -7,       -1, 0, 1, 5,
      30,        int64_t{1} << 31, int64_t{1} << 62, INT64_MAX};
  std::vector<size_t> chosen(count, 0);
  size_t at = 0;
  while (at < count) {
    std::vector<int64_t> numbers;
    for (const size_t number : chosen) numbers.push_back(contents[number]);
    for (const int64_t constant : {0, 0, 4}) numbers.push_back(constant);
    for (const int64_t limit : {int64_t{1}, int64_t{10}, int64_t{1} << 40}) {
      ranges_are_in_bounds(unit, numbers, limit);
    }
    for (at = 0; at < count && ++chosen[at] == contents.size(); ++at) chosen[at] = 0;
  }
}

}  // namespace

int main() {
  holds_for_any_contents(bucketize_bag_2, 2);
  holds_for_any_contents(tbe_bag_2, 2);
  holds_for_any_contents(tbe_columns_2, 2);
  holds_for_any_contents(tbe_rows_3, 3);
  holds_for_any_contents(segment_2, 2);
  holds_for_any_contents(jagged_run_2, 2);
  holds_for_any_contents(nested_jagged_run_4, 4);
  holds_for_any_contents(dense_row_2, 2);
  holds_for_any_contents(pooled_piece_5, 5);
  holds_for_any_contents(permuted_element_3, 3);
  holds_for_any_contents(bucket_3, 3);
}
