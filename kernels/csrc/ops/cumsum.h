#pragma once

#include "base/tensors.h"

namespace pinwheel {

/// Lengths to offsets, as the operator asynchronous_complete_cumsum.
Tensor complete_cumsum(const Tensor& t_in);

}  // namespace pinwheel
