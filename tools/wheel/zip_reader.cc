#include "wheel/zip_reader.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wheel/deflate.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

constexpr uint64_t kBombSize = uint64_t{64} << 20U;
constexpr uint64_t kBombRatio = 250;

tl::unexpected<Error> broken_zip(const std::string& why) {
  return fail(ErrorKind::check, "the archive is not a valid zip file: " + why,
              "build or download the file again");
}

struct EndRecord {
  uint64_t offset = 0;
  std::string bytes;
};

// The end record is the last one whose comment ends exactly at the end of the file.
Result<EndRecord> find_end(const ports::ByteSource& source) {
  const uint64_t size = source.size();
  if (size < zip::kEndSize) return broken_zip("it has only " + format_bytes(size));
  const uint64_t tail = std::min(size, zip::kEndSize + zip::kMaxComment);
  TRY(const std::string bytes, source.read(size - tail, tail));
  for (uint64_t at = tail - zip::kEndSize + 1; at-- > 0;) {
    if (load_le<uint32_t>(bytes, at) != zip::kEnd) continue;
    return EndRecord{size - tail + at, bytes.substr(at)};
  }
  return broken_zip("it has no end record and may be truncated");
}

Result<void> apply_zip64(const ports::ByteSource& source, ZipLayout& layout, uint64_t& boundary) {
  if (layout.end_offset < zip::kEnd64LocatorSize) return broken_zip("its ZIP64 locator is missing");
  const uint64_t locator_at = layout.end_offset - zip::kEnd64LocatorSize;
  TRY(const std::string locator_bytes, source.read(locator_at, zip::kEnd64LocatorSize));
  ByteCursor locator(locator_bytes);
  if (locator.u32() != zip::kEnd64Locator) return broken_zip("its ZIP64 locator is missing");
  const uint32_t disk = locator.u32();
  const uint64_t end64_at = locator.u64();
  if (disk != 0 || locator.u32() > 1) return broken_zip("it spans several disks");
  if (end64_at > locator_at || locator_at - end64_at < zip::kEnd64Size) {
    return broken_zip("its ZIP64 end record is out of range");
  }
  TRY(const std::string end_bytes, source.read(end64_at, zip::kEnd64Size));
  ByteCursor end(end_bytes);
  if (end.u32() != zip::kEnd64) return broken_zip("its ZIP64 end record is missing");
  end.text(8 + 2 + 2 + 4 + 4 + 8);  // size, versions, disks, entries on this disk
  layout.entries = end.u64();
  layout.directory_size = end.u64();
  layout.directory_offset = end.u64();
  boundary = end64_at;
  return {};
}

Result<ZipLayout> read_layout(const ports::ByteSource& source) {
  TRY(const EndRecord record, find_end(source));
  ZipLayout layout;
  layout.end_offset = record.offset;
  ByteCursor end(record.bytes);
  end.u32();
  const uint16_t disk = end.u16();
  const uint16_t directory_disk = end.u16();
  end.u16();
  layout.entries = end.u16();
  layout.directory_size = end.u32();
  layout.directory_offset = end.u32();
  layout.end_size = zip::kEndSize + end.u16();
  if (disk != 0 || directory_disk != 0) return broken_zip("it spans several disks");
  uint64_t boundary = layout.end_offset;
  if (layout.entries == zip::kCountIn64 || layout.directory_size == zip::kIn64 ||
      layout.directory_offset == zip::kIn64) {
    TRY_DONE(apply_zip64(source, layout, boundary));
  }
  if (layout.directory_size > boundary ||
      layout.directory_offset != boundary - layout.directory_size) {
    return broken_zip("its central directory is not at the offset in its end record");
  }
  if (layout.entries > layout.directory_size / zip::kCentralHeaderSize) {
    return broken_zip("its central directory is too small for its entries");
  }
  return layout;
}

// The ZIP64 extra field contains only the fields that do not fit 32 bits, in this order.
bool apply_zip64_extra(std::string_view extra, ZipMember& member) {
  const bool wide_size = member.size == zip::kIn64;
  const bool wide_compressed = member.compressed_size == zip::kIn64;
  const bool wide_offset = member.header_offset == zip::kIn64;
  if (!wide_size && !wide_compressed && !wide_offset) return true;
  ByteCursor cursor(extra);
  while (cursor.left() >= 4) {
    const uint16_t id = cursor.u16();
    const std::string_view body = cursor.text(cursor.u16());
    if (id != zip::kExtraZip64) continue;
    ByteCursor fields(body);
    if (wide_size) member.size = fields.u64();
    if (wide_compressed) member.compressed_size = fields.u64();
    if (wide_offset) member.header_offset = fields.u64();
    return fields.ok();
  }
  return false;
}

Result<ZipMember> read_entry(ByteCursor& cursor) {
  ZipMember member;
  if (cursor.u32() != zip::kCentralHeader) {
    return broken_zip("an entry of its central directory is corrupt");
  }
  const uint16_t made_by = cursor.u16();
  cursor.u16();
  member.flags = cursor.u16();
  member.method = cursor.u16();
  member.time = cursor.u32();
  member.crc = cursor.u32();
  member.compressed_size = cursor.u32();
  member.size = cursor.u32();
  const uint16_t name_length = cursor.u16();
  const uint16_t extra_length = cursor.u16();
  const uint16_t comment_length = cursor.u16();
  const uint16_t disk = cursor.u16();
  cursor.u16();
  const uint32_t attributes = cursor.u32();
  member.header_offset = cursor.u32();
  member.name = cursor.text(name_length);
  const std::string_view extra = cursor.text(extra_length);
  cursor.text(comment_length);
  if (!cursor.ok()) return broken_zip("its central directory ends in the middle of an entry");
  if (disk != 0) return broken_zip("it spans several disks");
  if (!apply_zip64_extra(extra, member)) {
    return broken_zip("the ZIP64 field of an entry is corrupt");
  }
  constexpr uint16_t kUnix = 3;
  if ((made_by >> 8U) == kUnix) member.mode = attributes >> 16U;
  member.has_comment = comment_length != 0;
  return member;
}

/// The end of a member's record by the directory, which the local header can only move further.
uint64_t least_end(const ZipMember& member) {
  return member.header_offset + zip::kLocalHeaderSize + member.name.size() + member.compressed_size;
}

// Rejects overlapping members, each of which would be inflated: a small file would take forever.
Done check_overlaps(const std::vector<ZipMember>& members) {
  std::vector<const ZipMember*> in_order;
  in_order.reserve(members.size());
  for (const ZipMember& member : members) in_order.push_back(&member);
  std::sort(in_order.begin(), in_order.end(), [](const ZipMember* left, const ZipMember* right) {
    return left->header_offset < right->header_offset;
  });
  for (size_t i = 1; i < in_order.size(); ++i) {
    if (least_end(*in_order[i - 1]) <= in_order[i]->header_offset) continue;
    return broken_zip("members " + quoted(in_order[i - 1]->name) + " and " +
                      quoted(in_order[i]->name) + " overlap");
  }
  return {};
}

Done check_unpacked_size(const ports::ByteSource& source, const std::vector<ZipMember>& members) {
  uint64_t total = 0;
  for (const ZipMember& member : members) {
    total = member.size > UINT64_MAX - total ? UINT64_MAX : total + member.size;
  }
  if (total <= limits::kUnpackedFree || total <= limits::kUnpackedRatio * source.size()) return {};
  return fail(ErrorKind::check, "the archive unpacks to " + format_bytes(total) +
                                    ", more than the limit of " +
                                    std::to_string(limits::kUnpackedRatio) + " times its own size");
}

}  // namespace

Result<ZipReader> ZipReader::open(const ports::ByteSource& source) {
  ZipReader reader;
  reader.source_ = &source;
  TRY(reader.layout_, read_layout(source));
  const ZipLayout& layout = reader.layout_;
  if (layout.entries > limits::kMembers.most) {
    return fail(too_many("the archive", limits::kMembers));
  }
  TRY_DONE(check_size("the archive's directory", layout.directory_size, limits::kDirectory));
  TRY(const std::string bytes, source.read(layout.directory_offset, layout.directory_size));
  ByteCursor cursor(bytes);
  reader.members_.reserve(layout.entries);
  for (uint64_t i = 0; i < layout.entries; ++i) {
    TRY(ZipMember member, read_entry(cursor));
    if (!is_safe_member_name(member.name)) {
      return fail(ErrorKind::check,
                  "the archive has a member with an unsafe name: " + quoted(member.name),
                  "do not extract this file");
    }
    if (member.header_offset > layout.directory_offset ||
        member.compressed_size > layout.directory_offset - member.header_offset) {
      return broken_zip("member " + quoted(member.name) + " extends past the end of the file");
    }
    reader.members_.push_back(std::move(member));
  }
  if (cursor.left() != 0) return broken_zip("its central directory has data after the last entry");
  TRY_DONE(check_overlaps(reader.members_));
  TRY_DONE(check_unpacked_size(source, reader.members_));
  return reader;
}

const ZipMember* ZipReader::find(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const ZipMember& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

Result<uint64_t> ZipReader::data_offset(const ZipMember& member) const {
  const std::string name = "member " + quoted(member.name);
  if ((member.flags & zip::kFlagEncrypted) != 0) {
    return fail(ErrorKind::check, name + " is encrypted");
  }
  if (member.method != zip::kStored && member.method != zip::kDeflated) {
    return fail(ErrorKind::check,
                name + " uses compression method " + std::to_string(member.method),
                "only stored and deflate are allowed in a wheel");
  }
  if (member.size > kBombSize && member.size / kBombRatio > member.compressed_size) {
    return fail(ErrorKind::check, name + " would expand more than " + std::to_string(kBombRatio) +
                                      "-fold to " + format_bytes(member.size));
  }
  TRY(const std::string header, source_->read(member.header_offset, zip::kLocalHeaderSize));
  ByteCursor cursor(header);
  if (cursor.u32() != zip::kLocalHeader) return broken_zip(name + " has no local header");
  cursor.text(22);
  const uint64_t skip = uint64_t{cursor.u16()} + cursor.u16();
  const uint64_t start = member.header_offset + zip::kLocalHeaderSize + skip;
  if (start > layout_.directory_offset ||
      member.compressed_size > layout_.directory_offset - start) {
    return broken_zip(name + " reaches into the central directory");
  }
  if (member.method == zip::kStored && member.size != member.compressed_size) {
    return fail(ErrorKind::check, name + " does not have its declared size");
  }
  return start;
}

Done check_crc(const ZipMember& member, uint32_t crc) {
  if (crc == member.crc) return {};
  return fail(ErrorKind::check,
              "member " + quoted(member.name) + " is corrupt: its CRC-32 does not match",
              "build or download the file again");
}

Result<std::string> ZipReader::read(const ZipMember& member) const {
  const std::string name = "member " + quoted(member.name);
  TRY(const uint64_t start, data_offset(member));
  TRY(std::string data, source_->read(start, member.compressed_size));
  if (member.method == zip::kDeflated) {
    Result<std::string> inflated = inflate(data, member.size);
    if (!inflated) return fail(ErrorKind::check, name + ": " + inflated.error().message);
    data = *std::move(inflated);
  }
  if (data.size() != member.size) {
    return fail(ErrorKind::check, name + " does not have its declared size");
  }
  TRY_DONE(check_crc(member, crc32(data)));
  return data;
}

}  // namespace pinwheel::wheel
