#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "binary/device_code.h"

namespace pinwheel::binary {

/// The header of a compressed offload bundle (LLVM's "CCOB", versions 1 to 3).
struct CompressedBundle {
  CodeCompression compression = CodeCompression::none;
  uint64_t payload_at = 0;  ///< offset of the compressed data in the bundle
  uint64_t length = 0;  ///< bytes of the bundle; version 1 has no length field: all remaining bytes
  bool has_length = false;  ///< whether the bundle has a length field
  uint64_t size = 0;        ///< bytes after decompression
};

/// The beginning of a bundle's decompressed contents.
struct UnpackedBundle {
  std::string head;
  uint64_t used = 0;  ///< bytes of the payload that belong to the bundle
};

bool is_compressed_bundle(std::string_view head);
/// Reads the header at the beginning of `head`; `left` bytes remain in the section. Kind `check`
/// when it does not fit, or has an unknown version or method.
Result<CompressedBundle> read_compressed_bundle(std::string_view head, uint64_t left);
/// Decompresses up to `limit` bytes of the payload (all of it with zlib). Kind `check` when the
/// data is corrupt or does not match the declared size.
Result<UnpackedBundle> unpack_head(const CompressedBundle& bundle, std::string_view payload,
                                   uint64_t limit);

}  // namespace pinwheel::binary
