#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "binary/device_code.h"

// The headers of a CUDA fat binary, shared by the readers of sections and of streams.
namespace pinwheel::binary {

inline constexpr uint32_t kFatbinMagic = 0xba55ed50;
inline constexpr uint64_t kFatbinHeader = 16;
inline constexpr uint64_t kFatbinEntryHeader =
    64;  ///< the part common to every version of the format

/// "the CUDA fat binary is corrupt: ...", kind `check`.
tl::unexpected<Error> broken_fatbin(const std::string& why);

/// The size of a container's entries, from its header; nullopt when the header is not one.
std::optional<uint64_t> fatbin_size(std::string_view header);

struct FatbinEntry {
  DeviceCode code;
  uint64_t length = 0;  ///< header and payload
};
/// Reads an entry from its first `kFatbinEntryHeader` bytes; `left` bytes remain in its container.
Result<FatbinEntry> read_fatbin_entry(std::string_view header, uint64_t left);

}  // namespace pinwheel::binary
