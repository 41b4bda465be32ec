#include "wheel/deflate_part.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "wheel/huffman.h"

// A deflate block does not depend on its position, and its matches reach back at most 32 KiB. So
// decoding can start at any block: the window before it is filled with a marker that is not a byte,
// matches copy the marker as they copy bytes, and positions still marked at the end are unknown.
// After 32 KiB of known output nothing can be marked anymore, and plain bytes are decoded.
namespace pinwheel::wheel {
namespace {

constexpr uint64_t kWindow = 32768;
constexpr uint16_t kUnknown = 256;
constexpr uint64_t kLongestMatchBits = 48;
constexpr int kMostEntries = 100;  ///< false block headers are rare

struct Step {
  uint16_t base;
  uint8_t extra;
};
constexpr std::array<Step, 29> kLengths = {
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Step, 30> kDistances = {
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
     {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
     {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
     {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

enum class Ended {
  block,      ///< at the end of a block that is not the last
  stream,     ///< at the end of the last block
  truncated,  ///< the input ends inside a block
  limit,      ///< the output limit is exceeded
  corrupt,    ///< not a valid block
};

/// Decodes blocks; `Units` is a sequence of bytes, or of bytes and markers.
template <class Units>
class BlockDecoder {
 public:
  BlockDecoder(BitReader& bits, uint64_t most) : bits_(bits), most_(most) {}

  Units& units() { return units_; }

  Ended block() {
    const bool last = bits_.take(1) != 0;
    const uint32_t type = bits_.take(2);
    if (bits_.overrun()) return Ended::truncated;
    Ended ended = Ended::corrupt;
    if (type == 0) {
      ended = stored();
    } else if (type == 1) {
      ended = compressed(fixed_codes());
    } else if (type == 2) {
      const std::optional<BlockCodes> codes = read_dynamic_codes(bits_);
      if (!codes) return bits_.overrun() ? Ended::truncated : Ended::corrupt;
      ended = compressed(*codes);
    }
    return ended == Ended::block && last ? Ended::stream : ended;
  }

 private:
  Ended stored() {
    const std::string_view sizes = bits_.take_bytes(4);
    if (sizes.size() < 4) return Ended::truncated;
    const uint16_t length = load_le<uint16_t>(sizes, 0).value_or(0);
    if ((length ^ load_le<uint16_t>(sizes, 2).value_or(0)) != 0xffff) return Ended::corrupt;
    const std::string_view bytes = bits_.take_bytes(length);
    for (const char byte : bytes) units_.push_back(static_cast<unsigned char>(byte));
    if (bytes.size() < length) return Ended::truncated;
    return units_.size() > most_ ? Ended::limit : Ended::block;
  }

  Ended compressed(const BlockCodes& codes) {
    while (units_.size() <= most_) {
      const HuffmanCode::Word word = codes.literals.decode(bits_.peek());
      if (word.length == 0) return invalid_bits();
      bits_.skip(word.length);
      if (bits_.overrun()) return Ended::truncated;
      if (word.symbol == kEndOfBlock) return Ended::block;
      if (word.symbol < kEndOfBlock) {
        units_.push_back(static_cast<typename Units::value_type>(word.symbol));
      } else if (const Ended ended = match(word.symbol - kEndOfBlock - 1U, codes.distances);
                 ended != Ended::block) {
        return ended;
      }
    }
    return Ended::limit;
  }

  Ended match(size_t length_symbol, const HuffmanCode& distances) {
    if (length_symbol >= kLengths.size()) return invalid_bits();
    const Step length_step = kLengths[length_symbol];
    const uint64_t length = uint64_t{length_step.base} + bits_.take(length_step.extra);
    const HuffmanCode::Word word = distances.decode(bits_.peek());
    if (word.length == 0 || word.symbol >= kDistances.size()) return invalid_bits();
    bits_.skip(word.length);
    const Step distance_step = kDistances[word.symbol];
    const uint64_t distance = uint64_t{distance_step.base} + bits_.take(distance_step.extra);
    if (bits_.overrun()) return Ended::truncated;
    if (distance > units_.size()) return Ended::corrupt;
    const size_t start = units_.size();
    units_.resize(start + length);
    for (size_t i = start; i < start + length; ++i) units_[i] = units_[i - distance];
    return Ended::block;
  }

  /// Invalid bits count as truncated input when the rest of them may be missing.
  Ended invalid_bits() const {
    BitReader ahead = bits_;
    ahead.skip(kLongestMatchBits);
    return ahead.overrun() ? Ended::truncated : Ended::corrupt;
  }

  BitReader& bits_;
  uint64_t most_;
  Units units_;
};

using Marked = std::vector<uint16_t>;

/// Whether later matches cannot refer to an unknown byte anymore.
bool is_settled(const Marked& units) {
  return std::none_of(units.end() - static_cast<std::ptrdiff_t>(kWindow), units.end(),
                      [](uint16_t unit) { return unit == kUnknown; });
}

/// The decoded units after the marker window.
InflatedPart to_bytes(const Marked& units) {
  InflatedPart part;
  part.bytes.reserve(units.size() - kWindow);
  for (size_t i = kWindow; i < units.size(); ++i) {
    const uint64_t at = i - kWindow;
    if (units[i] != kUnknown) {
      part.bytes.push_back(static_cast<char>(units[i]));
      continue;
    }
    part.bytes.push_back('\0');
    if (!part.unknown.empty() && part.unknown.back().to == at) {
      part.unknown.back().to = at + 1;
    } else {
      part.unknown.push_back({at, at + 1});
    }
  }
  return part;
}

/// Decodes the end of a stream from an entry point.
class TailDecoder {
 public:
  /// `budget` limits the output in bytes and is reduced by the output produced.
  TailDecoder(std::string_view stream, const InflatedTail& known, uint64_t& budget)
      : stream_(stream), known_(known), budget_(budget) {}

  /// nullopt unless the stream ends exactly at the end of the input.
  std::optional<InflatedTail> run(uint64_t bit) {
    BitReader bits(stream_, bit);
    blocks_.clear();
    BlockDecoder<Marked> marked(bits, kWindow + budget_);
    marked.units().assign(kWindow, kUnknown);
    Ended ended = Ended::block;
    while (ended == Ended::block &&
           (marked.units().size() < 2 * kWindow || !is_settled(marked.units()))) {
      note(bits, marked.units().size() - kWindow);
      ended = marked.block();
    }
    spend(marked.units().size() - kWindow);
    if (ended != Ended::block && ended != Ended::stream) return std::nullopt;
    InflatedTail tail{to_bytes(marked.units())};
    if (ended == Ended::block && !decode_rest(bits, tail)) return std::nullopt;
    if (ended == Ended::stream && !bits.at_end()) return std::nullopt;
    for (const auto& [bits_left, bytes_before] : blocks_) {
      tail.blocks.push_back({bits_left, tail.bytes.size() - bytes_before});
    }
    return tail;
  }

 private:
  /// Decodes to the end, or to a block after which everything is known.
  bool decode_rest(BitReader& bits, InflatedTail& tail) {
    BlockDecoder<std::string> plain(bits, tail.bytes.size() + budget_);
    plain.units() = std::move(tail.bytes);
    const size_t before = plain.units().size();
    Ended ended = Ended::block;
    std::optional<uint64_t> rest;
    while (ended == Ended::block && !(rest = known_rest(bits))) {
      note(bits, plain.units().size());
      ended = plain.block();
    }
    spend(plain.units().size() - before);
    tail.bytes = std::move(plain.units());
    if (!rest) return ended == Ended::stream && bits.at_end();
    const uint64_t here = tail.bytes.size();
    for (const BlockStart& block : known_.blocks) {
      if (block.bytes <= *rest) blocks_.emplace_back(block.bits, here + *rest - block.bytes);
    }
    tail.bytes.append(known_.bytes, known_.bytes.size() - *rest);
    return true;
  }

  uint64_t bits_left(const BitReader& bits) const { return stream_.size() * 8 - bits.position(); }
  void note(const BitReader& bits, uint64_t bytes) { blocks_.emplace_back(bits_left(bits), bytes); }
  void spend(uint64_t bytes) { budget_ -= std::min(budget_, bytes); }

  /// The number of bytes from here to the end, if all of them are known.
  std::optional<uint64_t> known_rest(const BitReader& bits) const {
    const uint64_t left = bits_left(bits);
    const auto found =
        std::lower_bound(known_.blocks.begin(), known_.blocks.end(), left,
                         [](const BlockStart& block, uint64_t want) { return block.bits > want; });
    if (found == known_.blocks.end() || found->bits != left) return std::nullopt;
    const uint64_t from = known_.bytes.size() - found->bytes;
    if (!known_.unknown.empty() && known_.unknown.back().to > from) return std::nullopt;
    return found->bytes;
  }

  std::string_view stream_;
  const InflatedTail& known_;
  uint64_t& budget_;
  std::vector<std::pair<uint64_t, uint64_t>> blocks_;  ///< bits left, and bytes produced before
};

constexpr uint64_t kDynamicNotLast = 0b100;  ///< the first three bits of such a block

/// Whether a dynamic block that is not the last may begin here, given that its three header bits
/// match. Nearly all false positives have too many symbols or an incomplete code length code, which
/// is detected without building the code.
bool may_begin_block(std::string_view stream, uint64_t bit) {
  constexpr uint64_t kMostCounted = 29;  // 257 + 29 literals, 1 + 29 distances
  constexpr uint64_t kWhole = 128;       // a complete code of at most 7 bits
  BitReader bits(stream, bit);
  bits.skip(3);
  uint64_t head = bits.peek();
  const uint64_t codes = 4 + (head >> 10U & 0xfU);
  if ((head & 0x1fU) > kMostCounted || (head >> 5U & 0x1fU) > kMostCounted) return false;
  BitReader lengths = bits;
  lengths.skip(14);
  head = lengths.peek();
  uint64_t filled = 0;
  for (uint64_t i = 0; i < codes; ++i, head >>= 3U) filled += kWhole >> (head & 7U) & (kWhole - 1);
  return filled == kWhole && read_dynamic_codes(bits).has_value();
}

/// Calls `decode` for each bit offset at which a block may begin until it returns a value.
template <class Decode>
auto enter_anywhere(std::string_view stream, const Decode& decode) -> decltype(decode(uint64_t{})) {
  int entries = 0;
  uint64_t ahead = 0;
  for (uint64_t bit = 0; bit < stream.size() * 8 && entries < kMostEntries; ++bit) {
    ahead = bit % 8 == 0 ? BitReader(stream, bit).peek() : ahead >> 1U;
    if ((ahead & 0b111U) != kDynamicNotLast || !may_begin_block(stream, bit)) continue;
    ++entries;
    if (auto found = decode(bit)) return found;
  }
  return std::nullopt;
}

/// Inflates the blocks from an entry point on; nullopt when no further block follows.
std::optional<InflatedPart> decode_part(std::string_view part, uint64_t bit, uint64_t limit) {
  BitReader bits(part, bit);
  BlockDecoder<Marked> marked(bits, kWindow + limit);
  marked.units().assign(kWindow, kUnknown);
  int blocks = 0;
  Ended ended = Ended::block;
  while (ended == Ended::block) {
    ended = marked.block();
    ++blocks;
  }
  if (ended == Ended::corrupt || blocks < 2) return std::nullopt;
  return to_bytes(marked.units());
}

}  // namespace

Result<std::string> inflate_head(std::string_view head, uint64_t enough) {
  BitReader bits(head);
  BlockDecoder<std::string> decoder(bits, enough);
  Ended ended = Ended::block;
  while (ended == Ended::block) ended = decoder.block();
  if (ended == Ended::corrupt) return fail(ErrorKind::check, "the compressed data is corrupt");
  return std::move(decoder.units());
}

Result<InflatedTail> inflate_tail(std::string_view tail, uint64_t limit,
                                  const InflatedTail& known) {
  uint64_t budget = limit;
  TailDecoder decoder(tail, known, budget);
  std::optional<InflatedTail> found =
      enter_anywhere(tail, [&](uint64_t bit) -> std::optional<InflatedTail> {
        return budget > 0 ? decoder.run(bit) : std::nullopt;
      });
  if (found) return *std::move(found);
  return fail(ErrorKind::check, "the end of the compressed data cannot be decoded on its own");
}

Result<InflatedPart> inflate_part(std::string_view part, uint64_t limit) {
  std::optional<InflatedPart> found =
      enter_anywhere(part, [&](uint64_t bit) { return decode_part(part, bit, limit); });
  if (found) return *std::move(found);
  return fail(ErrorKind::check, "this part of the compressed data cannot be decoded on its own");
}

}  // namespace pinwheel::wheel
