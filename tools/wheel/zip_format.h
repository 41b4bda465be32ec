#pragma once
#include <cstdint>

// Constants of the zip format (PKWARE APPNOTE 6.3.10), shared by the reader, the rules and the
// writer.
namespace pinwheel::wheel::zip {

inline constexpr uint32_t kLocalHeader = 0x04034b50;
inline constexpr uint32_t kCentralHeader = 0x02014b50;
inline constexpr uint32_t kEnd = 0x06054b50;
inline constexpr uint32_t kEnd64 = 0x06064b50;
inline constexpr uint32_t kEnd64Locator = 0x07064b50;

inline constexpr uint64_t kLocalHeaderSize = 30;
inline constexpr uint64_t kCentralHeaderSize = 46;
inline constexpr uint64_t kEndSize = 22;
inline constexpr uint64_t kEnd64Size = 56;
inline constexpr uint64_t kEnd64LocatorSize = 20;
inline constexpr uint64_t kMaxComment = 0xffff;

inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

inline constexpr uint16_t kFlagEncrypted = 1U << 0U;
inline constexpr uint16_t kFlagDataDescriptor = 1U << 3U;
inline constexpr uint16_t kFlagUtf8 = 1U << 11U;

inline constexpr uint16_t kExtraZip64 = 0x0001;
inline constexpr uint16_t kExtraUnicodePath = 0x7075;
inline constexpr uint32_t kIn64 = 0xffffffff;  ///< the value is in the ZIP64 extra field
inline constexpr uint16_t kCountIn64 = 0xffff;

}  // namespace pinwheel::wheel::zip
