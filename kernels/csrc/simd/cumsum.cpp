#include "simd/cumsum.h"

#include "simd/integers.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// Scalar, from element `i` on.
template <class Number>
PW_SIMD void scan_rest(const Number* in, Number* out, int64_t i, int64_t count, Number start,
                       bool exclusive) {
  Number sum = start;
  if (exclusive) {
    for (; i < count; ++i) {
      const Number next = sum + in[i];
      out[i] = sum;
      sum = next;
    }
  } else {
    for (; i < count; ++i) out[i] = sum += in[i];
  }
}

#if defined(PW_HAS_PREFIX_SUMS)

/// The only dependency between vectors is the addition of each vector's sum to the running total.
template <bool kExclusive, class Integers, class Number>
PW_SIMD void scan_vectors(const Number* in, Number* out, int64_t count, Number start) {
  constexpr int64_t kCount = Integers::kCount;
  Number first[kCount];
  for (int64_t lane = 0; lane < kCount; ++lane) first[lane] = start;
  Integers before = load_integers<Integers>(first);
  int64_t i = 0;
  for (; i + kCount <= count; i += kCount) {
    const Integers numbers = load_integers<Integers>(in + i);
    const Integers sums = prefix_sums(numbers);
    const Integers all = sums + before;
    store_integers(out + i, kExclusive ? all - numbers : all);
    before = before + last_everywhere(sums);
  }
  store_integers(first, before);
  scan_rest(in, out, i, count, first[0], kExclusive);
}

template <class Integers, class Number>
PW_SIMD void scan_as(const Number* in, Number* out, int64_t count, Number start, bool exclusive) {
  if (exclusive) {
    scan_vectors<true, Integers>(in, out, count, start);
  } else {
    scan_vectors<false, Integers>(in, out, count, start);
  }
}

#else

struct Integers32 {};
struct Integers64 {};

template <class Integers, class Number>
PW_SIMD void scan_as(const Number* in, Number* out, int64_t count, Number start, bool exclusive) {
  scan_rest(in, out, 0, count, start, exclusive);
}

#endif

template <class Number>
PW_SIMD Number sum_all(const Number* in, int64_t count) {
  Number all = 0;
  for (int64_t i = 0; i < count; ++i) all += in[i];
  return all;
}

}  // namespace

void scan(const uint32_t* in, uint32_t* out, int64_t count, uint32_t start, bool exclusive) {
  scan_as<Integers32>(in, out, count, start, exclusive);
}

void scan(const uint64_t* in, uint64_t* out, int64_t count, uint64_t start, bool exclusive) {
  scan_as<Integers64>(in, out, count, start, exclusive);
}

uint32_t sum(const uint32_t* in, int64_t count) {
  return sum_all(in, count);
}

uint64_t sum(const uint64_t* in, int64_t count) {
  return sum_all(in, count);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
