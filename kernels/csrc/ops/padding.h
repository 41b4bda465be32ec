#pragma once

#include "base/tensors.h"

namespace pinwheel {

/// Writes the bytes of `value` as `dtype`, repeated to 16. Fails, naming `op`, on a dtype that has
/// no such value (wider than 8 bytes, quantised) and on a value that an integer dtype cannot hold.
void fill_pattern(const char* op, const char* name, ScalarType dtype, double value,
                  unsigned char (&pattern)[16]);

}  // namespace pinwheel
