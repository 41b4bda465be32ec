#include "binary/fatbin.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/bytes.h"
#include "base/limits.h"

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

namespace {

/// The size of a container's entries, from its header; nullopt when the header is not one.
std::optional<uint64_t> fatbin_size(std::string_view header) {
  ByteCursor cursor(header);
  const bool known = cursor.u32() == kFatbinMagic && cursor.u16() == 1;
  const bool plain = cursor.u16() == kFatbinHeader;
  const uint64_t size = cursor.u64();
  return known && plain ? std::optional<uint64_t>(size) : std::nullopt;
}

/// Reads an entry from its first `kFatbinEntryHeader` bytes; `left` bytes remain in its container.
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

namespace {

constexpr uint64_t kWord = 8;

uint64_t word_at(std::string_view bytes, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

bool all_zeros(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

void FatbinScanner::feed(std::string_view piece) {
  while (!piece.empty() && !is_over_) {
    if (skip_ > 0) {
      skip(piece);
    } else if (wanted_ > 0) {
      collect(piece);
    } else {
      search(piece);
    }
  }
}

void FatbinScanner::advance(std::string_view& piece, uint64_t length) {
  piece.remove_prefix(length);
  position_ += length;
}

void FatbinScanner::count() {
  is_over_ = ++pieces_ > limits::kDeviceCode.most;
}

void FatbinScanner::search(std::string_view& piece) {
  const uint64_t odd = std::min<uint64_t>((kWord - position_ % kWord) % kWord, piece.size());
  zeros_ = zeros_ && all_zeros(piece.substr(0, odd));
  advance(piece, odd);
  // Hot loop: runs over every byte outside of containers.
  uint64_t seen = 0;
  size_t at = 0;
  for (; at + kWord <= piece.size(); at += kWord) {
    const uint64_t word = word_at(piece, at);
    if (static_cast<uint32_t>(word) == kFatbinMagic) break;
    seen |= word;
  }
  zeros_ = zeros_ && seen == 0;
  const bool found = at + kWord <= piece.size();
  advance(piece, at);
  if (found) {
    wanted_ = kFatbinHeader;
    return;
  }
  zeros_ = zeros_ && all_zeros(piece);
  advance(piece, piece.size());
}

void FatbinScanner::skip(std::string_view& piece) {
  const uint64_t length = std::min<uint64_t>(skip_, piece.size());
  skip_ -= length;
  advance(piece, length);
  if (skip_ == 0) next_entry();
}

void FatbinScanner::collect(std::string_view& piece) {
  const uint64_t length = std::min<uint64_t>(wanted_ - header_.size(), piece.size());
  header_ += piece.substr(0, length);
  advance(piece, length);
  if (header_.size() < wanted_) return;
  wanted_ = 0;
  inside_ ? take_entry() : take_container();
  header_.clear();
}

void FatbinScanner::take_container() {
  const std::optional<uint64_t> size = fatbin_size(header_);
  if (!size || *size > file_size_ - std::min(file_size_, position_)) {
    zeros_ = false;
    return;
  }
  FatbinContainer found;
  found.offset = position_ - kFatbinHeader;
  found.end = position_ + *size;
  found.zeros_before = zeros_;
  containers_.push_back(std::move(found));
  count();
  inside_ = true;
  next_entry();
}

void FatbinScanner::next_entry() {
  const uint64_t left = containers_.back().end - position_;
  if (left == 0) {
    inside_ = false;
    zeros_ = true;
  } else if (left < kFatbinEntryHeader) {
    reject(broken_fatbin("an entry does not fit its container").value());
  } else {
    wanted_ = kFatbinEntryHeader;
  }
}

void FatbinScanner::take_entry() {
  const uint64_t left = containers_.back().end - position_ + kFatbinEntryHeader;
  Result<FatbinEntry> entry = read_fatbin_entry(header_, left);
  if (!entry) {
    reject(entry.error());
    return;
  }
  entry->code.offset = position_ - kFatbinEntryHeader;
  containers_.back().code.push_back(std::move(entry->code));
  count();
  skip_ = entry->length - kFatbinEntryHeader;
  if (skip_ == 0) next_entry();
}

void FatbinScanner::reject(Error error) {
  containers_.back().fault = std::move(error);
  inside_ = false;
  zeros_ = false;
}

}  // namespace pinwheel::binary
