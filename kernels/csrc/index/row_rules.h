#pragma once

// How an optimizer updates a row of an embedding table once the sum of the row's gradients is
// known. Both rules have the same form: weight = keep * weight - step * gradient.

#include <math.h>

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

struct RowStep {
  float keep = 1;
  float step = 0;
};

/// Scales the step so that the row's norm is at most `max_norm`, given the squared norm that it
/// would have. Call only if there is a limit: rules without one have `max_norm` = 0.
PW_HD RowStep within_norm(const RowStep& step, float squares, float max_norm) {
  const float norm = sqrtf(squares);
  if (!(norm > max_norm)) return step;
  const float ratio = max_norm / norm;
  return RowStep{step.keep * ratio, step.step * ratio};
}

/// The same for both kinds of weight decay: `keep` is 1 - learning_rate * weight_decay.
struct SgdRule {
  static constexpr bool kNeedsSquares = false;
  float learning_rate = 0;
  float keep = 1;
  float max_norm = 0;

  PW_HD float decay_in_squares() const { return 0; }
  PW_HD float state(int64_t) const { return 0; }
  PW_HD RowStep step(int64_t, float, float, int64_t) const { return RowStep{keep, learning_rate}; }
};

enum class WeightDecay { kNone = 0, kL2 = 1, kDecoupled = 2 };

/// One scalar of momentum per row, the sum of the mean squares of its gradients so far.
struct AdagradRule {
  static constexpr bool kNeedsSquares = true;
  float learning_rate = 0;
  float eps = 0;
  float weight_decay = 0;
  WeightDecay mode = WeightDecay::kNone;
  float max_norm = 0;
  float* momentum = nullptr;

  /// The factor of the row itself that is added to its gradient before squaring.
  PW_HD float decay_in_squares() const { return mode == WeightDecay::kL2 ? weight_decay : 0; }

  /// What `step` needs of the row besides its gradient; a GPU reads it in advance.
  PW_HD float state(int64_t row) const { return momentum[row]; }

  /// Adds to the row's momentum, which is `before`: call from one thread only.
  PW_HD RowStep step(int64_t row, float before, float squares, int64_t columns) const {
    const float sum = before + squares / static_cast<float>(columns);
    momentum[row] = sum;
    RowStep result;
    result.step = learning_rate / (sqrtf(sum) + eps);
    if (mode == WeightDecay::kL2) result.keep = 1.0f - result.step * weight_decay;
    if (mode == WeightDecay::kDecoupled) result.keep = 1.0f - learning_rate * weight_decay;
    return result;
  }
};

}  // namespace pinwheel
