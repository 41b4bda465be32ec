#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

enum class CodeKind {
  ptx,
  cubin,
  lto_ir,       ///< NVVM for link-time optimisation
  code_object,  ///< HIP
  other,        ///< a kind of entry that the format has and this reader has no name for
};
enum class CodeCompression { none, lz4, zstd, zlib };

/// "ptx", "cubin", "ltoir", "code-object", "other"; "none", "lz4", "zstd", "zlib".
std::string_view to_string(CodeKind kind);
std::string_view to_string(CodeCompression compression);

/// One piece of GPU code inside a library.
struct DeviceCode {
  CodeKind kind = CodeKind::other;
  std::string architecture;  ///< "sm_90a", "sm_100f", "compute_90", "lto_90", "gfx90a:xnack+"
  CodeCompression compression = CodeCompression::none;
  /// Bytes in the file; 0 when a compressed bundle holds it together with others.
  uint64_t stored_size = 0;
  uint64_t size = 0;  ///< bytes after decompression

  bool operator==(const DeviceCode&) const = default;
};

/// The CUDA and HIP code in an ELF file, in the order in which it lies there; empty when there is
/// none. Without a section table the segments are searched for CUDA containers. Kind `check` when
/// the file is no 64-bit little-endian ELF file or a container in it is damaged. Nothing that the
/// file announces is allocated before it was compared with what the file can hold.
Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source);

}  // namespace pinwheel::binary
