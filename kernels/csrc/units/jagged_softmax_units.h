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

/// The maximum of the numbers seen and the sum of exp(number - maximum). Stored in shared memory,
/// which has no initializers: set it to SoftmaxSum{} first.
template <class Number>
struct SoftmaxSum {
  Number high;
  Number sum;  ///< 0: none seen

  PW_HD void add(Number number) { merge(SoftmaxSum{number, Number{1}}); }

  PW_HD void merge(const SoftmaxSum& other) {
    if (other.sum == 0) return;
    if (sum == 0) {
      *this = other;
    } else if (other.high > high) {
      sum = sum * exponential_of(high - other.high) + other.sum;
      high = other.high;
    } else {
      // Equal maxima may be infinite, and their difference NaN.
      sum += other.high == high ? other.sum : other.sum * exponential_of(other.high - high);
    }
  }

  /// NaN for every number of a group whose maximum is infinite, as in torch.
  PW_HD Number share_of(Number number) const {
    return exponential_of(number - high) / (sum + (high - high));
  }
};

/// The sum of products of gradients and results; set it to DotSum{} first.
template <class Number>
struct DotSum {
  Number sum;
  PW_HD void merge(const DotSum& other) { sum += other.sum; }
};

}  // namespace pinwheel
