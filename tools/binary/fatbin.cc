#include "binary/fatbin.h"

#include <algorithm>
#include <optional>

#include "binary/fatbin_format.h"

namespace pinwheel::binary {
namespace {

Done read_container(Window& part, uint64_t at, uint64_t end, CodeList& out) {
  const uint32_t unit = out.next_unit();
  TRY_DONE(out.count());
  while (at < end) {
    if (end - at < kFatbinEntryHeader) return broken_fatbin("an entry does not fit its container");
    TRY(const std::string_view header, part.at(at, kFatbinEntryHeader));
    TRY(FatbinEntry entry, read_fatbin_entry(header, end - at));
    TRY_DONE(out.count());
    entry.code.unit = unit;
    entry.code.offset = part.start() + at;
    out.add(std::move(entry.code));
    at += entry.length;
  }
  return {};
}

}  // namespace

Done read_fatbins(Window& section, CodeList& out) {
  TRY(uint64_t at, section.skip_zeros(0));
  while (at < section.size()) {
    if (section.size() - at < kFatbinHeader) {
      return broken_fatbin("its last container is truncated");
    }
    TRY(const std::string_view header, section.at(at, kFatbinHeader));
    const std::optional<uint64_t> size = fatbin_size(header);
    if (!size) return broken_fatbin("a container is missing");
    at += kFatbinHeader;
    if (*size > section.size() - at) return broken_fatbin("a container is longer than its section");
    TRY_DONE(read_container(section, at, at + *size, out));
    TRY(at, section.skip_zeros(at + *size));
  }
  return {};
}

Done find_fatbins(Window& segment, CodeList& out) {
  uint64_t at = 0;
  while (segment.size() - at >= kFatbinHeader) {
    TRY(const std::string_view header, segment.at(at, kFatbinHeader));
    const std::optional<uint64_t> size = fatbin_size(header);
    if (!size || *size > segment.size() - at - kFatbinHeader) {
      at += 8;
      continue;
    }
    TRY_DONE(read_container(segment, at + kFatbinHeader, at + kFatbinHeader + *size, out));
    at += kFatbinHeader + *size;
    at += std::min((8 - at % 8) % 8, segment.size() - at);
  }
  return {};
}

}  // namespace pinwheel::binary
