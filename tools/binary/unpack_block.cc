#include "binary/unpack_block.h"

#include <zstd.h>

#include <optional>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

// The most that one byte of data decompresses to. LZ4: a length grows by 255 for each byte. Zstd: a
// block of at most 128 KB has at least a header and one byte.
constexpr uint64_t kMostPerLz4Byte = 255;
constexpr uint64_t kMostPerZstdByte = uint64_t{1} << 15U;

tl::unexpected<Error> broken_block(const std::string& why) {
  return fail(ErrorKind::check, "compressed device code is corrupt: " + why);
}

Done check_unpacked_size(std::string_view packed, uint64_t size, uint64_t most_per_byte) {
  if (size / most_per_byte <= packed.size()) return {};
  return broken_block("its declared size exceeds what its data can decompress to");
}

/// A length of which `first` is the part in the token: 15 is continued in the bytes that follow.
std::optional<uint64_t> lz4_length(ByteCursor& input, uint64_t first) {
  constexpr uint64_t kContinued = 15;
  if (first < kContinued) return first;
  uint64_t length = first;
  uint8_t more = UINT8_MAX;
  while (more == UINT8_MAX) {
    more = input.u8();
    if (!input.ok()) return std::nullopt;
    length += more;
  }
  return length;
}

/// Appends `length` bytes from `distance` bytes before the end; the two may overlap.
void repeat(std::string& out, uint64_t distance, uint64_t length) {
  size_t from = out.size() - distance;
  for (uint64_t i = 0; i < length; ++i) out.push_back(out[from++]);
}

}  // namespace

Result<std::string> unpack_lz4_block(std::string_view packed, uint64_t size) {
  constexpr uint64_t kShortestMatch = 4;
  TRY_DONE(check_unpacked_size(packed, size, kMostPerLz4Byte));
  std::string out;
  out.reserve(size);
  ByteCursor input(packed);
  while (input.left() > 0) {
    const uint8_t token = input.u8();
    const std::optional<uint64_t> literals = lz4_length(input, token >> 4U);
    const std::string_view text = literals ? input.text(*literals) : std::string_view();
    if (!literals || !input.ok() || text.size() > size - out.size()) {
      return broken_block("its data ends too early");
    }
    out += text;
    // The last sequence has no match.
    if (input.left() == 0) break;
    const uint64_t distance = input.u16();
    const std::optional<uint64_t> match = lz4_length(input, token & 0xfU);
    if (!match || !input.ok() || distance == 0 || distance > out.size() ||
        *match + kShortestMatch > size - out.size()) {
      return broken_block("it repeats data that does not exist");
    }
    repeat(out, distance, *match + kShortestMatch);
  }
  if (out.size() != size) return broken_block("its data ends before its declared size");
  return out;
}

Result<std::string> unpack_zstd_frame(std::string_view packed, uint64_t size) {
  TRY_DONE(check_unpacked_size(packed, size, kMostPerZstdByte));
  const unsigned long long declared = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (declared == ZSTD_CONTENTSIZE_ERROR) return broken_block("its data is not a zstd frame");
  std::string out(size, '\0');
  const size_t made = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(made) != 0) return broken_block("its data does not decompress");
  if (made != size) return broken_block("its data ends before its declared size");
  return out;
}

}  // namespace pinwheel::binary
