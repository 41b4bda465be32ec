#include "wheel/huffman.h"

#include <algorithm>

namespace pinwheel::wheel {
namespace {

constexpr unsigned kMostBits = 15;
constexpr size_t kLengthCodes = 19;
constexpr size_t kMostLiterals = 286;
constexpr size_t kMostDistances = 30;
// Symbols above 15 are not lengths: they repeat the last length or zeros.
constexpr uint16_t kRepeatLast = 16;
constexpr uint16_t kRepeatZero = 17;

uint32_t reversed(uint32_t word, unsigned length) {
  uint32_t out = 0;
  for (unsigned i = 0; i < length; ++i) out |= ((word >> i) & 1U) << (length - 1 - i);
  return out;
}

/// Whether the lengths are a complete code, or an incomplete one that is allowed.
bool fits(const std::array<uint16_t, 16>& count, Gaps gaps) {
  int left = 1;
  unsigned words = 0;
  for (unsigned length = 1; length <= kMostBits; ++length) {
    left = left * 2 - count[length];
    if (left < 0) return false;
    words += count[length];
  }
  return left == 0 || (gaps == Gaps::for_one_word && words <= 1);
}

std::optional<HuffmanCode> read_length_code(BitReader& bits, unsigned codes) {
  constexpr std::array<uint8_t, kLengthCodes> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};
  std::array<uint8_t, kLengthCodes> lengths{};
  for (unsigned i = 0; i < codes; ++i) lengths[kOrder[i]] = static_cast<uint8_t>(bits.take(3));
  if (bits.overrun()) return std::nullopt;
  return HuffmanCode::make(lengths, Gaps::refused);
}

/// Fills `lengths` from the run-length code of RFC 1951, 3.2.7.
bool read_lengths(BitReader& bits, const HuffmanCode& code, std::span<uint8_t> lengths) {
  for (size_t i = 0; i < lengths.size();) {
    const HuffmanCode::Word word = code.decode(bits.peek());
    if (word.length == 0) return false;
    bits.skip(word.length);
    if (word.symbol < kRepeatLast) {
      lengths[i++] = static_cast<uint8_t>(word.symbol);
      continue;
    }
    if (word.symbol == kRepeatLast && i == 0) return false;
    const uint8_t value = word.symbol == kRepeatLast ? lengths[i - 1] : 0;
    const size_t times = word.symbol == kRepeatLast   ? 3 + bits.take(2)
                         : word.symbol == kRepeatZero ? 3 + bits.take(3)
                                                      : 11 + bits.take(7);
    if (times > lengths.size() - i) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), times, value);
    i += times;
  }
  return !bits.overrun();
}

}  // namespace

std::optional<HuffmanCode> HuffmanCode::make(std::span<const uint8_t> lengths, Gaps gaps) {
  std::array<uint16_t, 16> count{};
  for (const uint8_t length : lengths) ++count[length];
  count[0] = 0;
  // Most candidates are not valid codes, so return before clearing the tables.
  if (!fits(count, gaps)) return std::nullopt;
  HuffmanCode code;
  code.count_ = count;
  std::array<uint16_t, 16> place{};
  for (unsigned length = 1; length < kMostBits; ++length) {
    place[length + 1] = static_cast<uint16_t>(place[length] + code.count_[length]);
  }
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (lengths[symbol] != 0)
      code.symbols_[place[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
  }
  uint32_t word = 0;
  size_t next = 0;
  for (unsigned length = 1; length <= kTableBits; ++length, word *= 2) {
    for (uint16_t i = 0; i < code.count_[length]; ++i, ++word, ++next) {
      const Word entry{code.symbols_[next], static_cast<uint8_t>(length)};
      for (size_t at = reversed(word, length); at < kTable; at += size_t{1} << length) {
        code.table_[at] = entry;
      }
    }
  }
  return code;
}

HuffmanCode::Word HuffmanCode::decode_long(uint64_t bits) const {
  uint32_t word = 0;
  uint32_t first = 0;  // the first code word of the length
  uint32_t index = 0;  // its symbol
  for (unsigned length = 1; length <= kMostBits; ++length) {
    word |= static_cast<uint32_t>((bits >> (length - 1)) & 1U);
    if (word - first < count_[length]) {
      return {symbols_[index + (word - first)], static_cast<uint8_t>(length)};
    }
    index += count_[length];
    first = (first + count_[length]) * 2;
    word *= 2;
  }
  return {};
}

const BlockCodes& fixed_codes() {
  static const BlockCodes codes = [] {
    std::array<uint8_t, 288> literals{};
    std::fill(literals.begin(), literals.begin() + 144, 8);
    std::fill(literals.begin() + 144, literals.begin() + 256, 9);
    std::fill(literals.begin() + 256, literals.begin() + 280, 7);
    std::fill(literals.begin() + 280, literals.end(), 8);
    // 32 code words of five bits: the last two are unused, but without them the code would be
    // incomplete.
    std::array<uint8_t, 32> distances{};
    distances.fill(5);
    return BlockCodes{*HuffmanCode::make(literals, Gaps::refused),
                      *HuffmanCode::make(distances, Gaps::refused)};
  }();
  return codes;
}

std::optional<BlockCodes> read_dynamic_codes(BitReader& bits) {
  const size_t literals = bits.take(5) + 257;
  const size_t distances = bits.take(5) + 1;
  const unsigned codes = bits.take(4) + 4;
  if (literals > kMostLiterals || distances > kMostDistances) return std::nullopt;
  const std::optional<HuffmanCode> code = read_length_code(bits, codes);
  if (!code) return std::nullopt;
  std::array<uint8_t, kMostLiterals + kMostDistances> lengths{};
  const std::span<uint8_t> all = std::span(lengths).first(literals + distances);
  if (!read_lengths(bits, *code, all) || lengths[kEndOfBlock] == 0) return std::nullopt;
  const auto first = HuffmanCode::make(all.first(literals), Gaps::refused);
  if (!first) return std::nullopt;
  const auto second = HuffmanCode::make(all.subspan(literals), Gaps::for_one_word);
  if (!second) return std::nullopt;
  return BlockCodes{*first, *second};
}

}  // namespace pinwheel::wheel
