#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace pinwheel::wheel {

/// Reads a deflate stream bit by bit, the lowest bit of each byte first. Reads past the end return
/// zeros: callers check `overrun()` before they use the bits.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes, uint64_t bit = 0) : bytes_(bytes), bit_(bit) {}

  /// The next bits, at least 57 of them.
  uint64_t peek() const {
    const uint64_t byte = bit_ / 8;
    uint64_t bits = 0;
    if (const auto whole = load_le<uint64_t>(bytes_, byte)) {
      bits = *whole;
    } else {
      for (uint64_t i = 0; byte + i < bytes_.size(); ++i) {
        bits |= uint64_t{static_cast<unsigned char>(bytes_[byte + i])} << (8 * i);
      }
    }
    return bits >> (bit_ % 8);
  }
  void skip(unsigned bits) { bit_ += bits; }
  /// At most 32 bits.
  uint32_t take(unsigned bits) {
    const uint64_t value = peek() & ((uint64_t{1} << bits) - 1);
    skip(bits);
    return static_cast<uint32_t>(value);
  }
  /// Consumes bytes from the next byte boundary on: `length` of them, or all that are left.
  std::string_view take_bytes(uint64_t length) {
    const uint64_t at = std::min<uint64_t>((bit_ + 7) / 8, bytes_.size());
    const std::string_view taken = bytes_.substr(at, length);
    bit_ = (at + taken.size()) * 8;
    return taken;
  }

  uint64_t position() const { return bit_; }
  bool overrun() const { return bit_ > bytes_.size() * 8; }
  /// Whether the next byte boundary is the end of the stream.
  bool at_end() const { return (bit_ + 7) / 8 == bytes_.size(); }

 private:
  std::string_view bytes_;
  uint64_t bit_;
};

/// The end-of-block symbol.
inline constexpr uint16_t kEndOfBlock = 256;

/// Whether an incomplete code is an error, or allowed when it has at most one code word, as for the
/// distances of deflate (RFC 1951, 3.2.7).
enum class Gaps { refused, for_one_word };

/// A canonical prefix code of at most 15 bits (RFC 1951, 3.2.2).
class HuffmanCode {
 public:
  struct Word {
    uint16_t symbol = 0;
    uint8_t length = 0;  ///< 0: the bits are not a code word
  };

  /// The code with these lengths, 0 for unused symbols; nullopt when the lengths are not a valid
  /// code.
  static std::optional<HuffmanCode> make(std::span<const uint8_t> lengths, Gaps gaps);

  /// The code word at the start of the bits.
  Word decode(uint64_t bits) const {
    const Word quick = table_[bits & (kTable - 1)];
    return quick.length != 0 ? quick : decode_long(bits);
  }

 private:
  static constexpr unsigned kTableBits = 10;
  static constexpr size_t kTable = size_t{1} << kTableBits;
  static constexpr size_t kMostSymbols = 288;

  Word decode_long(uint64_t bits) const;

  std::array<uint16_t, 16> count_{};  ///< code words of each length
  std::array<uint16_t, kMostSymbols> symbols_{};
  std::array<Word, kTable> table_{};
};

/// The two Huffman codes of a compressed block.
struct BlockCodes {
  HuffmanCode literals;
  HuffmanCode distances;
};

/// The codes of fixed blocks.
const BlockCodes& fixed_codes();
/// Reads the codes in the header of a dynamic block, after its first three bits; nullopt when the
/// header is invalid, which also serves to detect false block starts.
std::optional<BlockCodes> read_dynamic_codes(BitReader& bits);

}  // namespace pinwheel::wheel
