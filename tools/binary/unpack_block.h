#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::binary {

/// The contents of one LZ4 block (the block format of LZ4, without a frame), which must be `size`
/// bytes. Kind `check` for other data, and before memory is allocated for a size that the data
/// cannot decompress to.
Result<std::string> unpack_lz4_block(std::string_view packed, uint64_t size);

/// The same for zstd frames.
Result<std::string> unpack_zstd_frame(std::string_view packed, uint64_t size);

}  // namespace pinwheel::binary
