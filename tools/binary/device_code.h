#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

class FatbinScanner;

enum class CodeKind {
  ptx,
  cubin,
  lto_ir,       ///< NVVM for link-time optimization
  code_object,  ///< HIP
  other,        ///< another kind of entry of the format
};
enum class CodeCompression { none, lz4, zstd, zlib };

/// "ptx", "cubin", "ltoir", "code-object", "other"; "none", "lz4", "zstd", "zlib".
std::string_view to_string(CodeKind kind);
std::string_view to_string(CodeCompression compression);

/// The version of the PTX language, "9.0"; 0.0 for code that is not PTX.
struct PtxVersion {
  uint16_t major = 0;
  uint16_t minor = 0;

  auto operator<=>(const PtxVersion&) const = default;
};

/// One piece of GPU code inside a library.
struct DeviceCode {
  CodeKind kind = CodeKind::other;
  std::string architecture;  ///< "sm_90a", "sm_100f", "compute_90", "lto_90", "gfx90a:xnack+"
  CodeCompression compression = CodeCompression::none;
  /// Bytes in the file; 0 in a compressed bundle, which is compressed as a whole.
  uint64_t stored_size = 0;
  uint64_t size = 0;  ///< bytes after decompression
  PtxVersion ptx = {};
  /// Index of its container or bundle in the section: compilers write one for each translation
  /// unit.
  uint32_t unit = 0;
  uint64_t offset = 0;  ///< file offset of its header; 0 inside a compressed bundle

  bool operator==(const DeviceCode&) const = default;
};

/// The CUDA and HIP code in an ELF file, in file order; empty when there is none. Without a section
/// table the segments are searched for CUDA containers. Kind `check` when the file is not a 64-bit
/// little-endian ELF file, a container is corrupt, or there is more than `base/limits` allows.
/// Sizes from the file are checked against its length before anything is allocated.
Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source);

/// The same for a file that the scanner has already processed as a stream: `source` is read only
/// for headers, tables and HIP code.
Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source,
                                                 const FatbinScanner& scanned);

}  // namespace pinwheel::binary
