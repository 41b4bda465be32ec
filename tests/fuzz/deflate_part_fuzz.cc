#include "fuzz/fuzz.h"
#include "wheel/deflate.h"
#include "wheel/deflate_part.h"

using namespace pinwheel;

// Both ends of any bytes are decoded or rejected within the limit. For a complete stream, the
// beginning matches the full decoder's output, and the result of a shorter end helps decode a
// longer one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Two windows: after a full window of known bytes a tail is decoded differently.
  constexpr uint64_t kLimit = 1 << 16;
  constexpr uint64_t kLongestMatch = 258;
  const std::string_view bytes = text_of(data, size);
  const auto head = wheel::inflate_head(bytes, kLimit);
  if (head) {
    must(head->size() <= kLimit + kLongestMatch + UINT16_MAX);
    const auto whole = wheel::inflate(bytes, head->size());
    if (whole) must(*whole == *head);
  }
  const auto tail = wheel::inflate_tail(bytes, kLimit);
  if (tail) {
    for (const wheel::Extent& gap : tail->unknown) {
      must(gap.from < gap.to && gap.to <= tail->bytes.size());
    }
    if (tail->blocks.size() > 2) {
      const uint64_t later = bytes.size() - (tail->blocks[1].bits + 7) / 8;
      const auto known = wheel::inflate_tail(bytes.substr(later), kLimit);
      if (known) must(wheel::inflate_tail(bytes, kLimit, *known).has_value());
    }
  }
  const auto part = wheel::inflate_part(bytes, kLimit);
  if (part) {
    must(part->bytes.size() <= kLimit + kLongestMatch + UINT16_MAX);
    must(part->unknown.empty() || part->unknown.back().to <= part->bytes.size());
  }
  return 0;
}
