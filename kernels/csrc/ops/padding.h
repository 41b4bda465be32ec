#pragma once

#include "base/tensors.h"

namespace pinwheel {

/// Writes the bytes of `value` as `dtype`, repeated to 16. Fails, naming `op`, on an unsupported
/// dtype (wider than 8 bytes, quantized) and on a value that an integer dtype cannot represent.
void fill_pattern(const char* op, const char* name, ScalarType dtype, double value,
                  unsigned char (&pattern)[16]);

}  // namespace pinwheel
