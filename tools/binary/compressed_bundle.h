#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "binary/device_code.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// The header of a compressed offload bundle (LLVM's "CCOB", versions 1 to 3).
struct CompressedBundle {
  CodeCompression compression = CodeCompression::none;
  uint64_t payload_at = 0;  ///< offset of the compressed data in the bundle
  uint64_t length = 0;  ///< bytes of the bundle; version 1 has no length field: all remaining bytes
  bool has_length = false;  ///< whether the bundle has a length field
  uint64_t size = 0;        ///< bytes after decompression
};

/// What a compressed bundle begins with.
inline constexpr std::string_view kCompressedMagic = "CCOB";

bool is_compressed_bundle(std::string_view head);
/// Whether it also has a version and a method that exist.
bool has_known_form(std::string_view head);
/// Reads the header at the beginning of `head`; `left` bytes remain in the section. Kind `check`
/// when it does not fit, or has an unknown version or method.
Result<CompressedBundle> read_compressed_bundle(std::string_view head, uint64_t left);
/// Kind `check` when the payload cannot decompress to the declared size.
Done check_declared_size(const CompressedBundle& bundle, Window& payload);
/// Decompresses the first `length` bytes, at most the declared size, reading no more than that
/// takes. Kind `check` when the data is corrupt or ends before them.
Result<std::string> unpack_head(const CompressedBundle& bundle, Window& payload, uint64_t length);

}  // namespace pinwheel::binary
