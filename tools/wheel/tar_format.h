#pragma once
#include <cstdint>
#include <string_view>

// The header block of POSIX ustar (IEEE Std 1003.1, pax), shared by the reader and the writer.
namespace pinwheel::wheel::tar {

inline constexpr uint64_t kBlock = 512;

struct Field {
  uint64_t offset;
  uint64_t length;
};
inline constexpr Field kName{0, 100};
inline constexpr Field kMode{100, 8};
inline constexpr Field kUid{108, 8};
inline constexpr Field kGid{116, 8};
inline constexpr Field kSize{124, 12};
inline constexpr Field kTime{136, 12};
inline constexpr Field kSum{148, 8};
inline constexpr uint64_t kType = 156;
inline constexpr Field kTarget{157, 100};
inline constexpr Field kMagic{257, 8};
inline constexpr Field kDeviceMajor{329, 8};
inline constexpr Field kDeviceMinor{337, 8};
inline constexpr Field kPrefix{345, 155};

inline constexpr std::string_view kUstar{"ustar\00000", 8};

inline constexpr char kFile = '0';
inline constexpr char kOldFile = '\0';
inline constexpr char kHardLink = '1';
inline constexpr char kSymlink = '2';
inline constexpr char kDirectory = '5';
inline constexpr char kContiguous = '7';
inline constexpr char kPax = 'x';
inline constexpr char kPaxGlobal = 'g';
inline constexpr char kGnuLongName = 'L';
inline constexpr char kGnuLongTarget = 'K';

/// The checksum of a header: the sum of its bytes, with the checksum field counted as spaces.
inline uint64_t sum_of(std::string_view header) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < header.size(); ++i) {
    const bool own = i >= kSum.offset && i < kSum.offset + kSum.length;
    sum += own ? uint64_t{' '} : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

}  // namespace pinwheel::wheel::tar
