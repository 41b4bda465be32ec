#pragma once

// Vectors of unsigned 32-bit and 64-bit integers and their prefix sums, on instruction sets where
// those are faster than a scalar loop; PW_HAS_PREFIX_SUMS is defined there.

#include <cstdint>

#include "simd/vector.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#define PW_HAS_PREFIX_SUMS 1

namespace pinwheel::simd::PINWHEEL_ISA {

struct Integers32 {
  static constexpr int kCount = 16;
  __m512i v;
};
struct Integers64 {
  static constexpr int kCount = 8;
  __m512i v;
};

template <class Integers>
PW_SIMD Integers load_integers(const void* at) {
  return Integers{_mm512_loadu_si512(at)};
}
template <class Integers>
PW_SIMD void store_integers(void* at, Integers a) {
  _mm512_storeu_si512(at, a.v);
}
PW_SIMD Integers32 operator+(Integers32 a, Integers32 b) {
  return Integers32{_mm512_add_epi32(a.v, b.v)};
}
PW_SIMD Integers64 operator+(Integers64 a, Integers64 b) {
  return Integers64{_mm512_add_epi64(a.v, b.v)};
}
PW_SIMD Integers32 operator-(Integers32 a, Integers32 b) {
  return Integers32{_mm512_sub_epi32(a.v, b.v)};
}
PW_SIMD Integers64 operator-(Integers64 a, Integers64 b) {
  return Integers64{_mm512_sub_epi64(a.v, b.v)};
}
/// Lane i of the result is the sum of lanes 0 to i.
PW_SIMD Integers32 prefix_sums(Integers32 a) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i v = a.v;
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
  return Integers32{v};
}
PW_SIMD Integers64 prefix_sums(Integers64 a) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i v = a.v;
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 6));
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 4));
  return Integers64{v};
}
/// Broadcasts the last lane.
PW_SIMD Integers32 last_everywhere(Integers32 a) {
  return Integers32{_mm512_permutexvar_epi32(_mm512_set1_epi32(15), a.v)};
}
PW_SIMD Integers64 last_everywhere(Integers64 a) {
  return Integers64{_mm512_permutexvar_epi64(_mm512_set1_epi64(7), a.v)};
}

}  // namespace pinwheel::simd::PINWHEEL_ISA

#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#define PW_HAS_PREFIX_SUMS 1

namespace pinwheel::simd::PINWHEEL_ISA {

struct Integers32 {
  static constexpr int kCount = 8;
  __m256i v;
};
struct Integers64 {
  static constexpr int kCount = 4;
  __m256i v;
};

template <class Integers>
PW_SIMD Integers load_integers(const void* at) {
  return Integers{_mm256_loadu_si256(static_cast<const __m256i*>(at))};
}
template <class Integers>
PW_SIMD void store_integers(void* at, Integers a) {
  _mm256_storeu_si256(static_cast<__m256i*>(at), a.v);
}
PW_SIMD Integers32 operator+(Integers32 a, Integers32 b) {
  return Integers32{_mm256_add_epi32(a.v, b.v)};
}
PW_SIMD Integers64 operator+(Integers64 a, Integers64 b) {
  return Integers64{_mm256_add_epi64(a.v, b.v)};
}
PW_SIMD Integers32 operator-(Integers32 a, Integers32 b) {
  return Integers32{_mm256_sub_epi32(a.v, b.v)};
}
PW_SIMD Integers64 operator-(Integers64 a, Integers64 b) {
  return Integers64{_mm256_sub_epi64(a.v, b.v)};
}
/// Lane i of the result is the sum of lanes 0 to i: within each half, then the lower half's sum to
/// the upper.
PW_SIMD Integers32 prefix_sums(Integers32 a) {
  __m256i v = a.v;
  v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
  v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
  const __m256i lower = _mm256_permute2x128_si256(v, v, 0x08);
  return Integers32{_mm256_add_epi32(v, _mm256_shuffle_epi32(lower, 0xff))};
}
PW_SIMD Integers64 prefix_sums(Integers64 a) {
  const __m256i v = _mm256_add_epi64(a.v, _mm256_slli_si256(a.v, 8));
  const __m256i lower = _mm256_permute2x128_si256(v, v, 0x08);
  return Integers64{_mm256_add_epi64(v, _mm256_shuffle_epi32(lower, 0xee))};
}
/// Broadcasts the last lane.
PW_SIMD Integers32 last_everywhere(Integers32 a) {
  return Integers32{_mm256_permutevar8x32_epi32(a.v, _mm256_set1_epi32(7))};
}
PW_SIMD Integers64 last_everywhere(Integers64 a) {
  return Integers64{_mm256_permute4x64_epi64(a.v, 0xff)};
}

}  // namespace pinwheel::simd::PINWHEEL_ISA

#endif
