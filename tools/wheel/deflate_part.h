#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::wheel {

/// Bytes from `from` up to, not including, `to`.
struct Extent {
  uint64_t from = 0;
  uint64_t to = 0;

  bool operator==(const Extent&) const = default;
};

/// What the first bytes of a raw deflate stream give: all that they determine, or a little more
/// than `enough`. Kind `check` when no stream begins like that.
Result<std::string> inflate_head(std::string_view head, uint64_t enough);

/// Where a block begins: both counted from the end of the stream, which stays where it is while
/// more and more of the stream before is read.
struct BlockStart {
  uint64_t bits = 0;   ///< of the compressed stream from there on
  uint64_t bytes = 0;  ///< that come out from there on

  bool operator==(const BlockStart&) const = default;
};

/// What a stretch of a raw deflate stream gives.
struct InflatedPart {
  std::string bytes = {};            ///< zeros where unknown
  std::vector<Extent> unknown = {};  ///< copies from before the entry; ascending, in `bytes`
};

/// What the last bytes of a stream give: the last ones of the whole.
struct InflatedTail : InflatedPart {
  std::vector<BlockStart> blocks = {};  ///< those that were decoded, in order
};

/// Inflates the end of a stream without its beginning: looks for the first dynamic block, bit by
/// bit, and decodes from there to the end; what refers to bytes before the entry stays unknown.
/// `known` is what a shorter end of the same stream gave, or nothing: decoding stops where it
/// meets a block of it behind which everything is known. Kind `check` when no entry leads to the
/// exact end of the stream, or to more than `limit` bytes on the way. A block can be found where
/// there is none, though it takes a long chain of chances: the caller checks what it reads by other
/// means.
Result<InflatedTail> inflate_tail(std::string_view tail, uint64_t limit,
                                  const InflatedTail& known = {});

/// Inflates a stretch from the middle of a stream: from the first dynamic block in it, found as
/// above, through another one at least, to the end of the stretch or `limit` bytes. Where in the
/// whole the bytes lie it does not say. Kind `check` when no entry leads so far.
Result<InflatedPart> inflate_part(std::string_view part, uint64_t limit);

}  // namespace pinwheel::wheel
