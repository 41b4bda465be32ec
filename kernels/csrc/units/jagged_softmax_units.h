#pragma once

// The state that GPU threads sharing a column of a group keep.

#include <math.h>

#include "index/host_device.h"
#include "jobs/jagged_softmax.h"

namespace pinwheel {

PW_HD float exponential_of(float number) {
  return expf(number);
}
PW_HD double exponential_of(double number) {
  return exp(number);
}

/// What to subtract from numbers whose maximum is `high`: 0 if that is infinite, because
/// infinity - infinity is NaN.
PW_HD float shift_of(float high) {
  return isinf(high) ? 0.0f : high;
}
PW_HD double shift_of(double high) {
  return isinf(high) ? 0.0 : high;
}

/// The maximum of the numbers seen, NaN aside, and the sum of exp(number - maximum). Stored in
/// shared memory, which has no initializers: start with none().
template <class Number>
struct SoftmaxSum {
  Number high;
  Number sum;

  PW_HD static SoftmaxSum none() { return SoftmaxSum{static_cast<Number>(-INFINITY), 0}; }

  /// Numbers that are -infinity change nothing.
  template <int kNumbers>
  PW_HD void add(const Number (&numbers)[kNumbers]) {
    Number most = high;
    PW_UNROLL
    for (int k = 0; k < kNumbers; ++k) most = numbers[k] > most ? numbers[k] : most;
    const Number shift = shift_of(most);
    sum *= exponential_of(high - shift);
    PW_UNROLL
    for (int k = 0; k < kNumbers; ++k) sum += exponential_of(numbers[k] - shift);
    high = most;
  }

  /// Raises the maximum to `most`, which must not be smaller.
  PW_HD void raise(Number most) {
    sum *= exponential_of(high - shift_of(most));
    high = most;
  }

  /// All of `count` parts, `stride` apart, merged in order.
  PW_HD static SoftmaxSum merged(const SoftmaxSum* parts, int count, int stride) {
    SoftmaxSum all = none();
    for (int i = 0; i < count; ++i) {
      const Number high = parts[i * stride].high;
      all.high = high > all.high ? high : all.high;
    }
    for (int i = 0; i < count; ++i) {
      SoftmaxSum part = parts[i * stride];
      part.raise(all.high);
      all.sum += part.sum;
    }
    return all;
  }

  /// What to multiply exp(number - high) by. NaN, and so is every result, if the maximum is
  /// infinite, as in torch.
  PW_HD Number scale() const { return Number{1} / (sum + (high - high)); }
};

/// The sum of products of gradients and results.
template <class Number>
struct DotSum {
  Number sum;

  PW_HD static DotSum none() { return DotSum{0}; }
  PW_HD static DotSum merged(const DotSum* parts, int count, int stride) {
    DotSum all = none();
    for (int i = 0; i < count; ++i) all.sum += parts[i * stride].sum;
    return all;
  }
};

}  // namespace pinwheel
