#pragma once

// What the threads of a GPU that share a column of a group keep of it.

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

/// The largest of the numbers seen and the sum of the exponentials of what they are below it. Lies
/// in shared memory, which cannot be initialised: starts as SoftmaxSum{}.
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
      // Equal ones may be infinite, whose difference is none.
      sum += other.high == high ? other.sum : other.sum * exponential_of(other.high - high);
    }
  }

  /// NaN for each number of a group whose largest is infinite, as in torch.
  PW_HD Number share_of(Number number) const {
    return exponential_of(number - high) / (sum + (high - high));
  }
};

/// The sum of products of gradients and results; starts as DotSum{}.
template <class Number>
struct DotSum {
  Number sum;
  PW_HD void merge(const DotSum& other) { sum += other.sum; }
};

}  // namespace pinwheel
