#include "wheel/zip_rules.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/bytes.h"
#include "base/text.h"
#include "wheel/zip_format.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

constexpr uint64_t kEnd64BodySize = 44;  // the record without its signature and size fields
constexpr const char* kRebuild = "build the wheel again, or rewrite it with `pinwheel finish`";

/// A local header, with the sizes from its ZIP64 field if it has one.
struct LocalHeader {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  std::string name;
  std::string extra;
  uint64_t data_offset = 0;
};

class Faults {
 public:
  void add(const ZipMember& member, const std::string& what) {
    list_.push_back({member.name, "member " + quoted(member.name) + " " + what, kRebuild});
  }
  void add(std::string message) { list_.push_back({"", std::move(message), kRebuild}); }
  std::vector<ZipFault> take() { return std::move(list_); }

 private:
  std::vector<ZipFault> list_;
};

// Returns what is wrong with the fields, or "". Sizes from the ZIP64 field are filled in.
std::string read_extra(std::string_view extra, LocalHeader* local) {
  constexpr std::array<size_t, 5> kZip64Lengths = {0, 8, 16, 24, 28};
  std::set<uint16_t> seen;
  ByteCursor cursor(extra);
  while (cursor.left() > 0) {
    const uint16_t id = cursor.u16();
    const std::string_view body = cursor.text(cursor.u16());
    if (!cursor.ok()) return "has a corrupt extra field";
    const bool single = id == zip::kExtraZip64 || id == zip::kExtraUnicodePath;
    if (single && !seen.insert(id).second) return "has the same extra field twice";
    if (id != zip::kExtraZip64) continue;
    if (std::count(kZip64Lengths.begin(), kZip64Lengths.end(), body.size()) == 0) {
      return "has a ZIP64 field of an invalid length";
    }
    if (local == nullptr) continue;
    ByteCursor sizes(body);
    if (local->size == zip::kIn64) local->size = sizes.u64();
    if (local->compressed_size == zip::kIn64) local->compressed_size = sizes.u64();
  }
  return "";
}

Result<LocalHeader> read_local(const ports::ByteSource& source, const ZipMember& member) {
  TRY(const std::string fixed, source.read(member.header_offset, zip::kLocalHeaderSize));
  ByteCursor cursor(fixed);
  if (cursor.u32() != zip::kLocalHeader) return fail(ErrorKind::check, "has no local header");
  LocalHeader local;
  cursor.u16();  // version needed
  local.flags = cursor.u16();
  local.method = cursor.u16();
  cursor.u32();  // DOS time
  local.crc = cursor.u32();
  local.compressed_size = cursor.u32();
  local.size = cursor.u32();
  const uint64_t name_length = cursor.u16();
  const uint64_t extra_length = cursor.u16();
  const uint64_t names_at = member.header_offset + zip::kLocalHeaderSize;
  TRY(const std::string names, source.read(names_at, name_length + extra_length));
  local.name = names.substr(0, name_length);
  local.extra = names.substr(name_length);
  local.data_offset = names_at + names.size();
  return local;
}

void compare(const ZipMember& member, const LocalHeader& local, Faults& faults) {
  if (local.name != member.name) {
    faults.add(member, "has the name " + quoted(local.name) + " in its local header");
  }
  const bool streamed = ((local.flags | member.flags) & zip::kFlagDataDescriptor) != 0;
  if (streamed) faults.add(member, "has a data descriptor, as written by streaming tools");
  if (local.flags != member.flags) faults.add(member, "has different flags in its local header");
  if (local.method != member.method) {
    faults.add(member, "has a different compression method in its local header");
  }
  // A streamed member has its sizes after its data; report the cause once.
  if (streamed) return;
  if (local.size != member.size || local.compressed_size != member.compressed_size) {
    faults.add(member, "has a different size in its local header");
  }
  if (local.crc != member.crc) faults.add(member, "has a different checksum in its local header");
}

void check_member(const ZipMember& member, Faults& faults) {
  if (member.method != zip::kStored && member.method != zip::kDeflated) {
    faults.add(member, "uses compression method " + std::to_string(member.method) +
                           "; only stored and deflate are allowed");
  }
  if ((member.flags & zip::kFlagEncrypted) != 0) faults.add(member, "is encrypted");
  if (member.has_comment) faults.add(member, "has a comment");
  const bool ascii =
      std::all_of(member.name.begin(), member.name.end(), [](char c) { return c > 0; });
  if (!ascii && (member.flags & zip::kFlagUtf8) == 0) {
    faults.add(member,
               "has a name in UTF-8 without the flag for it (bit 11), so that installers and "
               "PyPI read another name");
  }
}

/// Checks the local header; returns the end offset of the member's data, or the fault that hides
/// it.
Result<uint64_t> check_local(const ports::ByteSource& source, const ZipMember& member,
                             Faults& faults) {
  TRY(LocalHeader local, read_local(source, member));
  const std::string odd = read_extra(local.extra, &local);
  if (!odd.empty()) faults.add(member, odd);
  compare(member, local, faults);
  return local.data_offset + member.compressed_size;
}

// Every byte before the central directory must belong to exactly one member.
void check_records(const ports::ByteSource& source, const ZipReader& zip, const IsThere& is_there,
                   Faults& faults) {
  std::vector<const ZipMember*> in_order;
  for (const ZipMember& member : zip.members()) in_order.push_back(&member);
  std::stable_sort(in_order.begin(), in_order.end(), [](const ZipMember* a, const ZipMember* b) {
    return a->header_offset < b->header_offset;
  });
  uint64_t at = 0;
  // The data descriptor after a streamed member is reported already.
  bool ends_before_next = false;
  for (const ZipMember* member : in_order) {
    if (member->header_offset < at) faults.add(*member, "overlaps another member");
    if (member->header_offset > at && !ends_before_next) {
      faults.add(*member, "has bytes before it that belong to no member");
    }
    const bool there = !is_there || is_there(*member);
    const Result<uint64_t> end =
        there ? check_local(source, *member, faults) : Result<uint64_t>(member->header_offset);
    if (!end) faults.add(*member, end.error().message);
    at = end.value_or(member->header_offset);
    ends_before_next = !there || !end || (member->flags & zip::kFlagDataDescriptor) != 0;
  }
  const uint64_t directory = zip.layout().directory_offset;
  if (at > directory) faults.add("the last member extends into the central directory");
  if (at < directory && !ends_before_next) {
    faults.add("bytes before the central directory belong to no member");
  }
}

// The reader keeps neither extra fields nor the text of comments.
void check_directory(const ports::ByteSource& source, const ZipReader& zip, Faults& faults) {
  const ZipLayout& layout = zip.layout();
  const Result<std::string> bytes = source.read(layout.directory_offset, layout.directory_size);
  if (!bytes) return faults.add(bytes.error().message);
  ByteCursor cursor(*bytes);
  for (const ZipMember& member : zip.members()) {
    cursor.text(28);
    const uint16_t name_length = cursor.u16();
    const uint16_t extra_length = cursor.u16();
    const uint16_t comment_length = cursor.u16();
    cursor.text(12 + uint64_t{name_length});
    const std::string odd = read_extra(cursor.text(extra_length), nullptr);
    cursor.text(comment_length);
    if (!odd.empty()) faults.add(member, odd + " in the central directory");
  }
}

void check_end(const ports::ByteSource& source, const ZipLayout& layout, Faults& faults) {
  const uint64_t end = layout.end_offset + layout.end_size;
  if (end > source.size()) faults.add("the archive comment is truncated");
  if (end < source.size()) {
    faults.add("the archive is followed by " + plural(source.size() - end, "byte") +
               " that belong to no record");
  }
  const uint64_t after_directory = layout.directory_offset + layout.directory_size;
  if (after_directory == layout.end_offset) return;
  const Result<std::string> bytes = source.read(after_directory, 12);
  if (!bytes || load_le<uint32_t>(*bytes, 0) != zip::kEnd64 ||
      load_le<uint64_t>(*bytes, 4) != kEnd64BodySize) {
    faults.add("the archive's ZIP64 end record has extra data");
  }
}

}  // namespace

std::vector<ZipFault> zip_faults(const ports::ByteSource& source, const IsThere& is_there) {
  const Result<ZipReader> zip = ZipReader::open(source);
  if (!zip) return {{"", zip.error().message, zip.error().hint}};
  Faults faults;
  std::set<std::string_view> names;
  for (const ZipMember& member : zip->members()) {
    if (!names.insert(member.name).second) faults.add(member, "occurs more than once");
    check_member(member, faults);
  }
  check_records(source, *zip, is_there, faults);
  check_directory(source, *zip, faults);
  check_end(source, zip->layout(), faults);
  return faults.take();
}

}  // namespace pinwheel::wheel
