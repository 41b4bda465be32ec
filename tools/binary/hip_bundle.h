#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "binary/code_list.h"
#include "binary/device_code.h"
#include "binary/window.h"

namespace pinwheel::binary {

/// Adds the code objects of the offload bundles that fill a section (`.hip_fatbin`), with zeros
/// between them (clang-offload-bundler's format; plain, and compressed in versions 1 to 3). Host
/// entries are skipped. Only the beginning of a compressed bundle is decompressed. Kind `check`
/// when a bundle does not fit its section, does not decompress, declares a size that its data
/// cannot decompress to, or is over a limit of `base/limits`.
Done read_hip_bundles(Window& section, CodeList& out);

/// The header of a compressed offload bundle (LLVM's "CCOB", versions 1 to 3).
struct CompressedBundle {
  CodeCompression compression = CodeCompression::none;
  uint64_t payload_at = 0;  ///< offset of the compressed data in the bundle
  uint64_t length = 0;  ///< bytes of the bundle; version 1 has no length field: all remaining bytes
  bool has_length = false;  ///< whether the bundle has a length field
  uint64_t size = 0;        ///< bytes after decompression
};

/// The magic of a compressed bundle.
inline constexpr std::string_view kCompressedMagic = "CCOB";

}  // namespace pinwheel::binary
