#pragma once

// Numbers as they are stored and as they are computed with: 16-bit formats in float, the others as
// they are.

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
/// What sums and products of `Element` are computed in.
template <class Element>
using Wide = typename WideOf<Element>::type;

PW_HD double to_float(double number) {
  return number;
}
PW_HD void from_float(double number, double& to) {
  to = number;
}

}  // namespace pinwheel
