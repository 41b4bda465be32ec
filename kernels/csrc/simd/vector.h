#pragma once

// A vector of floats, as wide as the instruction set that this file is compiled for. Loads and
// stores convert from and to 16-bit formats and 8-bit codes; nothing needs to be aligned.

#include <cstdint>
#include <cstring>

#include "index/element.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PW_SIMD static inline __attribute__((always_inline))

namespace pinwheel::simd::PINWHEEL_ISA {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

constexpr int kLanes = 16;
typedef __m512 Floats;

PW_SIMD Floats splat(float number) {
  return _mm512_set1_ps(number);
}
PW_SIMD float number_of(Fp16 number) {
  return _cvtsh_ss(number.bits);
}
PW_SIMD Floats load(const float* at) {
  return _mm512_loadu_ps(at);
}
PW_SIMD Floats load(const Fp16* at) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}
PW_SIMD Floats load(const Bf16* at) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
PW_SIMD Floats load(const uint8_t* at) {
  const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(codes));
}
PW_SIMD void store(float* at, Floats v) {
  _mm512_storeu_ps(at, v);
}
PW_SIMD void store(Fp16* at, Floats v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at),
                      _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
PW_SIMD __m256i bf16_bits(Floats v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, up), 16);
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const __m512i result = _mm512_mask_mov_epi32(rounded, nan, _mm512_set1_epi32(0x7fc0));
  return _mm512_cvtepi32_epi16(result);
}
PW_SIMD void store(Bf16* at, Floats v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), bf16_bits(v));
}
/// Overloads of load_part and store_part below that avoid going through memory, and their mask.
PW_SIMD __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>((1u << count) - 1);
}
PW_SIMD Floats load_part(const float* at, int64_t count) {
  return _mm512_maskz_loadu_ps(first_lanes(count), at);
}
PW_SIMD Floats load_part(const Fp16* at, int64_t count) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(count), at));
}
PW_SIMD Floats load_part(const Bf16* at, int64_t count) {
  const __m256i bits = _mm256_maskz_loadu_epi16(first_lanes(count), at);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
PW_SIMD void store_part(float* at, Floats v, int64_t count) {
  _mm512_mask_storeu_ps(at, first_lanes(count), v);
}
PW_SIMD void store_part(Fp16* at, Floats v, int64_t count) {
  const __m256i bits = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_mask_storeu_epi16(at, first_lanes(count), bits);
}
PW_SIMD void store_part(Bf16* at, Floats v, int64_t count) {
  _mm256_mask_storeu_epi16(at, first_lanes(count), bf16_bits(v));
}
/// The lowest byte of each lane's bits.
PW_SIMD void store_low_bytes(uint8_t* at, Floats v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm512_cvtepi32_epi8(_mm512_castps_si512(v)));
}
PW_SIMD Floats fma(Floats a, Floats b, Floats c) {
  return _mm512_fmadd_ps(a, b, c);
}
/// `a` where it is less than `b`, else `b`; so `b` where either is NaN.
PW_SIMD Floats least(Floats a, Floats b) {
  return _mm512_min_ps(a, b);
}
PW_SIMD Floats most(Floats a, Floats b) {
  return _mm512_max_ps(a, b);
}
/// The sum over all lanes: adds the upper half to the lower one, repeatedly, down to one lane.
PW_SIMD float sum_of(Floats v) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 pairs = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)));
}
/// The smallest and the largest lane; unspecified if a lane is NaN.
PW_SIMD float least_of(Floats v) {
  return _mm512_reduce_min_ps(v);
}
PW_SIMD float most_of(Floats v) {
  return _mm512_reduce_max_ps(v);
}

#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

constexpr int kLanes = 8;
typedef __m256 Floats;

PW_SIMD Floats splat(float number) {
  return _mm256_set1_ps(number);
}
PW_SIMD float number_of(Fp16 number) {
  return _cvtsh_ss(number.bits);
}
PW_SIMD Floats load(const float* at) {
  return _mm256_loadu_ps(at);
}
PW_SIMD Floats load(const Fp16* at) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}
PW_SIMD Floats load(const Bf16* at) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
PW_SIMD Floats load(const uint8_t* at) {
  const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(codes));
}
PW_SIMD void store(float* at, Floats v) {
  _mm256_storeu_ps(at, v);
}
PW_SIMD void store(Fp16* at, Floats v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at),
                   _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
PW_SIMD void store(Bf16* at, Floats v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i up = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, up), 16);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i result = _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc0), nan);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(result, result), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm256_castsi256_si128(packed));
}
/// Overloads of load_part and store_part below that avoid going through memory, and their mask.
PW_SIMD __m256i first_lanes(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
PW_SIMD Floats load_part(const float* at, int64_t count) {
  return _mm256_maskload_ps(at, first_lanes(count));
}
PW_SIMD void store_part(float* at, Floats v, int64_t count) {
  _mm256_maskstore_ps(at, first_lanes(count), v);
}
/// The lowest byte of each lane's bits.
PW_SIMD void store_low_bytes(uint8_t* at, Floats v) {
  const __m256i pick =
      _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_castps_si256(v), pick);
  const __m128i both =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(at), both);
}
PW_SIMD Floats fma(Floats a, Floats b, Floats c) {
  return _mm256_fmadd_ps(a, b, c);
}
/// `a` where it is less than `b`, else `b`; so `b` where either is NaN.
PW_SIMD Floats least(Floats a, Floats b) {
  return _mm256_min_ps(a, b);
}
PW_SIMD Floats most(Floats a, Floats b) {
  return _mm256_max_ps(a, b);
}
/// The sum over all lanes: adds the upper half to the lower one, repeatedly, down to one lane.
PW_SIMD float sum_of(Floats v) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 pairs = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs)));
}
/// The smallest and the largest lane; unspecified if a lane is NaN.
PW_SIMD float least_of(Floats v) {
  __m128 half = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  half = _mm_min_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}
PW_SIMD float most_of(Floats v) {
  __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  half = _mm_max_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

#else  // the compiler's generic vectors, of a size that every CPU supports

constexpr int kLanes = 4;
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));

PW_SIMD Floats splat(float number) {
  return Floats{} + number;
}
PW_SIMD float number_of(Fp16 number) {
  return to_float(number);
}
template <class Element>
PW_SIMD Floats load(const Element* at) {
  Floats v;
  for (int lane = 0; lane < kLanes; ++lane) v[lane] = to_float(at[lane]);
  return v;
}
PW_SIMD Floats load(const float* at) {
  Floats v;
  memcpy(&v, at, sizeof(v));
  return v;
}
PW_SIMD Floats load(const uint8_t* at) {
  Floats v;
  for (int lane = 0; lane < kLanes; ++lane) v[lane] = static_cast<float>(at[lane]);
  return v;
}
template <class Element>
PW_SIMD void store(Element* at, Floats v) {
  for (int lane = 0; lane < kLanes; ++lane) from_float(v[lane], at[lane]);
}
PW_SIMD void store(float* at, Floats v) {
  memcpy(at, &v, sizeof(v));
}
/// The lowest byte of each lane's bits.
PW_SIMD void store_low_bytes(uint8_t* at, Floats v) {
  for (int lane = 0; lane < kLanes; ++lane) at[lane] = static_cast<uint8_t>(bits_of(v[lane]));
}
PW_SIMD Floats fma(Floats a, Floats b, Floats c) {
  return a * b + c;
}
/// `a` where it is less than `b`, else `b`; so `b` where either is NaN.
PW_SIMD Floats least(Floats a, Floats b) {
  return a < b ? a : b;
}
PW_SIMD Floats most(Floats a, Floats b) {
  return a > b ? a : b;
}
/// The sum over all lanes: adds the upper half to the lower one, repeatedly, down to one lane.
PW_SIMD float sum_of(Floats v) {
  return (v[0] + v[2]) + (v[1] + v[3]);
}
/// The smallest and the largest lane; unspecified if a lane is NaN.
PW_SIMD float least_of(Floats v) {
  const float low = v[1] < v[0] ? v[1] : v[0];
  const float high = v[3] < v[2] ? v[3] : v[2];
  return high < low ? high : low;
}
PW_SIMD float most_of(Floats v) {
  const float low = v[1] > v[0] ? v[1] : v[0];
  const float high = v[3] > v[2] ? v[3] : v[2];
  return high > low ? high : low;
}

#endif

/// The first `count` lanes from memory, the others 0. `count` is at most kLanes.
template <class Element>
PW_SIMD Floats load_part(const Element* at, int64_t count) {
  Element whole[kLanes] = {};
  memcpy(whole, at, count * sizeof(Element));
  return load(whole);
}

template <class Element>
PW_SIMD void store_part(Element* at, Floats v, int64_t count) {
  Element whole[kLanes];
  store(whole, v);
  memcpy(at, whole, count * sizeof(Element));
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
