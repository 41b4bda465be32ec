#include "simd/bounds.h"

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// As unsigned, number + 1 <= rows holds only for -1 and for valid rows.
template <class Unsigned, class Number>
PW_SIMD bool all_below(const Number* numbers, int64_t count, Unsigned rows) {
  Unsigned outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Unsigned next = static_cast<Unsigned>(numbers[i]) + 1;
    outside |= static_cast<Unsigned>(next > rows);
  }
  return outside == 0;
}

template <class Number>
PW_SIMD bool rises(const Number* numbers, int64_t count) {
  Number falls = 0;
  for (int64_t i = 1; i < count; ++i) falls |= static_cast<Number>(numbers[i] < numbers[i - 1]);
  return falls == 0;
}

}  // namespace

bool all_rows(const int32_t* numbers, int64_t count, int64_t rows) {
  const int64_t most = int64_t{1} << 31;
  return all_below(numbers, count, static_cast<uint32_t>(rows < 0 ? 0 : rows > most ? most : rows));
}

bool all_rows(const int64_t* numbers, int64_t count, int64_t rows) {
  return all_below(numbers, count, static_cast<uint64_t>(rows < 0 ? 0 : rows));
}

bool never_falls(const int32_t* numbers, int64_t count) {
  return rises(numbers, count);
}

bool never_falls(const int64_t* numbers, int64_t count) {
  return rises(numbers, count);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
