#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "wheel/bit_reader.h"

namespace pinwheel::wheel {

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
