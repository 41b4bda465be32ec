#include "simd/bucketize.h"

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

// A double represents integers below 2^52 exactly, and adding one to 2^52 puts it in the lowest
// bits: a conversion in both directions that every instruction set has.
constexpr uint64_t kExponent = 0x4330000000000000u;
constexpr double kTwo52 = 4503599627370496.0;

PW_SIMD double to_double(uint64_t number) {
  const uint64_t bits = number | kExponent;
  double result;
  memcpy(&result, &bits, sizeof(result));
  return result - kTwo52;
}

PW_SIMD uint64_t to_integer(double number) {
  const double sum = number + kTwo52;
  uint64_t bits;
  memcpy(&bits, &sum, sizeof(bits));
  return bits ^ kExponent;
}

template <bool kWithRows, class Index>
PW_SIMD bool split(const RankRows& ranks, const Index* __restrict__ indices, int64_t count,
                   uint64_t* __restrict__ rank, uint64_t* __restrict__ row) {
  const uint64_t limit = ranks.limit < (uint64_t{1} << 52) ? ranks.limit : uint64_t{1} << 52;
  const double rows = to_double(ranks.rows);
  const double inverse = 1.0 / rows;
  uint64_t outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t index = indices[i];
    outside |= static_cast<uint64_t>(index >= limit);
    const double number = to_double(index);
    // The nearest integer is the quotient or one more, however the product was rounded.
    const double nearest = number * inverse + kTwo52 - kTwo52;
    const double rest = number - nearest * rows;
    rank[i] = to_integer(rest < 0 ? nearest - 1.0 : nearest);
    if (kWithRows) row[i] = to_integer(rest < 0 ? rest + rows : rest);
  }
  return outside == 0;
}

template <class Index>
PW_SIMD bool split(const RankRows& ranks, const Index* indices, int64_t count, uint64_t* rank,
                   uint64_t* row) {
  if (ranks.rows >= (uint64_t{1} << 52)) return false;
  return row == nullptr ? split<false>(ranks, indices, count, rank, row)
                        : split<true>(ranks, indices, count, rank, row);
}

}  // namespace

bool split_by_rank(const RankRows& ranks, const uint32_t* indices, int64_t count, uint64_t* rank,
                   uint64_t* row) {
  return split(ranks, indices, count, rank, row);
}

bool split_by_rank(const RankRows& ranks, const uint64_t* indices, int64_t count, uint64_t* rank,
                   uint64_t* row) {
  return split(ranks, indices, count, rank, row);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
