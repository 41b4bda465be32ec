#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

/// The bytes of the half-open range [from, to).
struct Extent {
  uint64_t from = 0;
  uint64_t to = 0;

  bool operator==(const Extent&) const = default;
};

/// Inflates the first bytes of a raw deflate stream: all output that they determine, or a little
/// more than `enough`. Kind `check` when no stream begins like that.
Result<std::string> inflate_head(std::string_view head, uint64_t enough);

/// The start of a block, counted from the end of the stream, which stays fixed while more of the
/// stream in front is read.
struct BlockStart {
  uint64_t bits = 0;   ///< compressed bits from there to the end
  uint64_t bytes = 0;  ///< inflated bytes from there to the end

  bool operator==(const BlockStart&) const = default;
};

/// The inflated bytes of a chunk of a raw deflate stream.
struct InflatedPart {
  std::string bytes = {};  ///< zeros where unknown
  std::vector<Extent> unknown =
      {};  ///< ranges copied from before the entry point; ascending, in `bytes`
};

/// The inflated bytes at the end of a stream.
struct InflatedTail : InflatedPart {
  std::vector<BlockStart> blocks = {};  ///< the decoded blocks, in order
};

/// Inflates the end of a stream without its beginning: searches for the first dynamic block, bit by
/// bit, and decodes from there to the end; matches that refer to bytes before the entry point stay
/// unknown. `known` is the result for a shorter tail of the same stream, or empty: decoding stops
/// at a block of it after which everything is known. Kind `check` when no entry point leads to the
/// exact end of the stream, or the output exceeds `limit` bytes. A false block is possible, though
/// very unlikely: the caller verifies the data by other means.
Result<InflatedTail> inflate_tail(std::string_view tail, uint64_t limit,
                                  const InflatedTail& known = {});

/// Inflates a chunk from the middle of a stream: from the first dynamic block in it, found as
/// above, through at least one more block, to the end of the chunk or `limit` bytes. The offset of
/// the bytes in the whole stays unknown. Kind `check` when no entry point leads that far.
Result<InflatedPart> inflate_part(std::string_view part, uint64_t limit);

}  // namespace pinwheel::wheel
