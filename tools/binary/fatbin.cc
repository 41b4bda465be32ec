#include "binary/fatbin.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr uint32_t kContainerMagic = 0xba55ed50;
constexpr uint64_t kContainerHeader = 16;
constexpr uint64_t kEntryHeader = 64;  // what every version of the format has of it

constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;
constexpr uint64_t kFlagArchitectureSpecific = 0x100000;
constexpr uint64_t kFlagFamilySpecific = 0x200000;

tl::unexpected<Error> broken_fatbin(const std::string& why) {
  return fail(ErrorKind::check, "the CUDA fat binary is damaged: " + why);
}

/// The size of a container's entries; nullopt when no container begins here.
std::optional<uint64_t> container_size(std::string_view header) {
  ByteCursor cursor(header);
  const bool known = cursor.u32() == kContainerMagic && cursor.u16() == 1;
  const bool plain = cursor.u16() == kContainerHeader;
  const uint64_t size = cursor.u64();
  return known && plain ? std::optional<uint64_t>(size) : std::nullopt;
}

CodeKind kind_of(uint16_t kind) {
  switch (kind) {
    case 1:
      return CodeKind::ptx;
    case 2:
      return CodeKind::cubin;
    case 8:
      return CodeKind::lto_ir;
    default:
      return CodeKind::other;
  }
}

// The names that nvcc's `code=` takes.
std::string architecture_of(CodeKind kind, uint32_t number, uint64_t flags) {
  std::string name = kind == CodeKind::ptx ? "compute_" : kind == CodeKind::lto_ir ? "lto_" : "sm_";
  name += std::to_string(number);
  if ((flags & kFlagArchitectureSpecific) != 0) return name + "a";
  if ((flags & kFlagFamilySpecific) != 0) return name + "f";
  return name;
}

CodeCompression compression_of(uint64_t flags) {
  if ((flags & kFlagZstd) != 0) return CodeCompression::zstd;
  if ((flags & kFlagLz4) != 0) return CodeCompression::lz4;
  return CodeCompression::none;
}

struct Entry {
  DeviceCode code;
  uint64_t length = 0;  ///< header and payload
};

Result<Entry> read_entry(std::string_view header, uint64_t left) {
  ByteCursor cursor(header);
  const uint16_t kind = cursor.u16();
  cursor.u16();
  const uint64_t header_size = cursor.u32();
  const uint64_t payload = cursor.u64();
  const uint64_t compressed = cursor.u32();
  cursor.text(8);
  const uint32_t number = cursor.u32();
  cursor.text(8);
  const uint64_t flags = cursor.u64();
  cursor.u64();
  const uint64_t size = cursor.u64();
  if (!cursor.ok() || header_size < kEntryHeader || header_size > left ||
      payload > left - header_size) {
    return broken_fatbin("an entry does not fit its container");
  }
  Entry entry;
  entry.length = header_size + payload;
  entry.code.kind = kind_of(kind);
  entry.code.architecture = architecture_of(entry.code.kind, number, flags);
  entry.code.compression = compression_of(flags);
  const bool plain = entry.code.compression == CodeCompression::none;
  if (!plain && compressed > payload) return broken_fatbin("an entry is longer than its payload");
  entry.code.stored_size = plain ? payload : compressed;
  entry.code.size = plain ? payload : size;
  return entry;
}

Done read_container(Window& part, uint64_t at, uint64_t end, std::vector<DeviceCode>& out) {
  while (at < end) {
    if (end - at < kEntryHeader) return broken_fatbin("an entry does not fit its container");
    TRY(const std::string_view header, part.at(at, kEntryHeader));
    TRY(Entry entry, read_entry(header, end - at));
    out.push_back(std::move(entry.code));
    at += entry.length;
  }
  return {};
}

}  // namespace

Done read_fatbins(Window& section, std::vector<DeviceCode>& out) {
  TRY(uint64_t at, section.skip_zeros(0));
  while (at < section.size()) {
    if (section.size() - at < kContainerHeader) return broken_fatbin("its last container is cut");
    TRY(const std::string_view header, section.at(at, kContainerHeader));
    const std::optional<uint64_t> size = container_size(header);
    if (!size) return broken_fatbin("no container stands where one should");
    at += kContainerHeader;
    if (*size > section.size() - at) return broken_fatbin("a container is longer than its section");
    TRY_DONE(read_container(section, at, at + *size, out));
    TRY(at, section.skip_zeros(at + *size));
  }
  return {};
}

Done find_fatbins(Window& segment, std::vector<DeviceCode>& out) {
  uint64_t at = 0;
  while (segment.size() - at >= kContainerHeader) {
    TRY(const std::string_view header, segment.at(at, kContainerHeader));
    const std::optional<uint64_t> size = container_size(header);
    if (!size || *size > segment.size() - at - kContainerHeader) {
      at += 8;
      continue;
    }
    TRY_DONE(read_container(segment, at + kContainerHeader, at + kContainerHeader + *size, out));
    at += kContainerHeader + *size;
    at += std::min((8 - at % 8) % 8, segment.size() - at);
  }
  return {};
}

}  // namespace pinwheel::binary
