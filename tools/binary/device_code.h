#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

struct FatbinContainer;

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

/// The version of the PTX language, "9.0"; 0.0 for what is no PTX.
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
  /// Bytes in the file; 0 when a compressed bundle holds it together with others.
  uint64_t stored_size = 0;
  uint64_t size = 0;  ///< bytes after decompression
  PtxVersion ptx = {};
  /// Which container or bundle of its section it stands in: compilers write one for each
  /// translation unit.
  uint32_t unit = 0;
  uint64_t offset = 0;  ///< of its header in the file; 0 inside a compressed bundle

  bool operator==(const DeviceCode&) const = default;
};

/// The CUDA and HIP code in an ELF file, in the order in which it lies there; empty when there is
/// none. Without a section table the segments are searched for CUDA containers. Kind `check` when
/// the file is no 64-bit little-endian ELF file or a container in it is damaged. Nothing that the
/// file announces is allocated before it was compared with what the file can hold.
Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source);

/// The same for a file whose containers were found while it passed by, so that `source` is read
/// where its headers, tables and HIP code stand alone.
Result<std::vector<DeviceCode>> read_device_code(const ports::ByteSource& source,
                                                 const std::vector<FatbinContainer>& containers);

}  // namespace pinwheel::binary
