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
  uint64_t length = 0;      ///< bytes of the bundle; version 1 has no length: all that is left
  bool has_length = false;  ///< whether the bundle says its length
  uint64_t size = 0;        ///< bytes after decompression
};

/// The beginning of what a bundle decompresses to.
struct UnpackedBundle {
  std::string head;
  uint64_t used = 0;  ///< bytes of the payload that belong to the bundle
};

bool is_compressed_bundle(std::string_view head);
/// Reads the header at the beginning of `head`; `left` bytes remain in the section. Kind `check`
/// when it does not fit or names an unknown version or method.
Result<CompressedBundle> read_compressed_bundle(std::string_view head, uint64_t left);
/// Decompresses up to `limit` bytes of the payload (all of it where zlib was used). Kind `check`
/// when the data is damaged or contradicts the announced size.
Result<UnpackedBundle> unpack_head(const CompressedBundle& bundle, std::string_view payload,
                                   uint64_t limit);

}  // namespace pinwheel::binary
