#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "wheel/bit_reader.h"

namespace pinwheel::wheel {

/// The symbol behind the last one of a block.
inline constexpr uint16_t kEndOfBlock = 256;

/// What a code whose words do not fill all bit patterns is: an error, or allowed when it has at
/// most one word, as deflate does for distances (RFC 1951, 3.2.7).
enum class Gaps { refused, for_one_word };

/// A canonical prefix code of at most 15 bits (RFC 1951, 3.2.2).
class HuffmanCode {
 public:
  struct Word {
    uint16_t symbol = 0;
    uint8_t length = 0;  ///< 0: the bits are no word
  };

  /// The code with these lengths, 0 for symbols without a word; nullopt when there is none.
  static std::optional<HuffmanCode> make(std::span<const uint8_t> lengths, Gaps gaps);

  /// The word that the bits begin with.
  Word decode(uint64_t bits) const {
    const Word quick = table_[bits & (kTable - 1)];
    return quick.length != 0 ? quick : decode_long(bits);
  }

 private:
  static constexpr unsigned kTableBits = 10;
  static constexpr size_t kTable = size_t{1} << kTableBits;
  static constexpr size_t kMostSymbols = 288;

  Word decode_long(uint64_t bits) const;

  std::array<uint16_t, 16> count_{};  ///< words of each length
  std::array<uint16_t, kMostSymbols> symbols_{};
  std::array<Word, kTable> table_{};
};

/// The two codes of a compressed block.
struct BlockCodes {
  HuffmanCode literals;
  HuffmanCode distances;
};

/// Those of every fixed block.
const BlockCodes& fixed_codes();
/// Those at the head of a dynamic block (behind its three bits); nullopt when no compressor writes
/// such a head, which is how a place that is no head is told from one.
std::optional<BlockCodes> read_dynamic_codes(BitReader& bits);

}  // namespace pinwheel::wheel
