#pragma once

// Storage types and the types to compute in: float for the 16-bit formats, the type itself for the
// others.

#include "index/element.h"

namespace pinwheel {

template <class Element>
struct WideOf {
  using type = float;
};
template <>
struct WideOf<double> {
  using type = double;
};
/// The type that sums and products of `Element` are computed in.
template <class Element>
using Wide = typename WideOf<Element>::type;

PW_HD double to_float(double number) {
  return number;
}
PW_HD void from_float(double number, double& to) {
  to = number;
}

}  // namespace pinwheel
