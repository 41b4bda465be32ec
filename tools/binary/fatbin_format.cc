#include "binary/fatbin_format.h"

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;
constexpr uint64_t kFlagArchitectureSpecific = 0x100000;
constexpr uint64_t kFlagFamilySpecific = 0x200000;

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

// The names of nvcc's `code=` option.
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

}  // namespace

tl::unexpected<Error> broken_fatbin(const std::string& why) {
  return fail(ErrorKind::check, "the CUDA fat binary is corrupt: " + why);
}

std::optional<uint64_t> fatbin_size(std::string_view header) {
  ByteCursor cursor(header);
  const bool known = cursor.u32() == kFatbinMagic && cursor.u16() == 1;
  const bool plain = cursor.u16() == kFatbinHeader;
  const uint64_t size = cursor.u64();
  return known && plain ? std::optional<uint64_t>(size) : std::nullopt;
}

Result<FatbinEntry> read_fatbin_entry(std::string_view header, uint64_t left) {
  ByteCursor cursor(header);
  const uint16_t kind = cursor.u16();
  cursor.u16();
  const uint64_t header_size = cursor.u32();
  const uint64_t payload = cursor.u64();
  const uint64_t compressed = cursor.u32();
  cursor.u32();  // offset of its options
  const uint16_t minor = cursor.u16();
  const uint16_t major = cursor.u16();
  const uint32_t number = cursor.u32();
  cursor.text(8);
  const uint64_t flags = cursor.u64();
  cursor.u64();
  const uint64_t size = cursor.u64();
  if (!cursor.ok() || header_size < kFatbinEntryHeader || header_size > left ||
      payload > left - header_size) {
    return broken_fatbin("an entry does not fit its container");
  }
  FatbinEntry entry;
  entry.length = header_size + payload;
  entry.code.kind = kind_of(kind);
  entry.code.architecture = architecture_of(entry.code.kind, number, flags);
  entry.code.compression = compression_of(flags);
  if (entry.code.kind == CodeKind::ptx) entry.code.ptx = {major, minor};
  const bool plain = entry.code.compression == CodeCompression::none;
  if (!plain && compressed > payload) return broken_fatbin("an entry is longer than its payload");
  entry.code.stored_size = plain ? payload : compressed;
  entry.code.size = plain ? payload : size;
  return entry;
}

}  // namespace pinwheel::binary
