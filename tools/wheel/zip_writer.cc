#include "wheel/zip_writer.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/bytes.h"
#include "base/text.h"
#include "wheel/deflate.h"
#include "wheel/zip_format.h"

namespace pinwheel::wheel {
namespace {

constexpr int64_t kFirstEpoch = 315532800;  // 1980-01-01
constexpr int64_t kLastEpoch = 4354819198;  // 2107-12-31 23:59:58
constexpr uint16_t kVersion20 = 20;
constexpr uint16_t kVersion45 = 45;  // ZIP64
constexpr uint16_t kMadeByUnix = 3U << 8U;
constexpr uint32_t kRegularFile = 0100000;

bool is_wide(uint64_t number) {
  return number >= zip::kIn64;
}
uint32_t narrow(uint64_t number) {
  return is_wide(number) ? zip::kIn64 : static_cast<uint32_t>(number);
}
// Only non-ASCII names need the flag; Python's zipfile does not set it otherwise.
uint16_t flags_of(const std::string& name) {
  const bool ascii = std::all_of(name.begin(), name.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
  return ascii ? 0 : zip::kFlagUtf8;
}

PackedMember packed_as(std::string name, std::string_view contents, uint32_t mode,
                       std::string deflated) {
  PackedMember member{std::move(name), mode, zip::kStored, crc32(contents), contents.size(), {}};
  const bool smaller = !contents.empty() && deflated.size() < contents.size();
  member.method = smaller ? zip::kDeflated : zip::kStored;
  member.packed = smaller ? std::move(deflated) : std::string(contents);
  return member;
}

}  // namespace

uint32_t dos_time(int64_t epoch) {
  using namespace std::chrono;
  const sys_seconds when{seconds(std::clamp(epoch, kFirstEpoch, kLastEpoch))};
  const sys_days day = floor<days>(when);
  const year_month_day date(day);
  const hh_mm_ss<seconds> time(when - day);
  const auto year = static_cast<uint32_t>(static_cast<int>(date.year()) - 1980);
  const uint32_t days_part = (year << 9U) | (static_cast<unsigned>(date.month()) << 5U) |
                             static_cast<unsigned>(date.day());
  const uint32_t time_part = (static_cast<uint32_t>(time.hours().count()) << 11U) |
                             (static_cast<uint32_t>(time.minutes().count()) << 5U) |
                             (static_cast<uint32_t>(time.seconds().count()) / 2U);
  return (days_part << 16U) | time_part;
}

Done ZipWriter::put(std::string_view bytes) {
  offset_ += bytes.size();
  return output_(bytes);
}

std::string ZipWriter::local_header(const Entry& entry) const {
  const bool wide = is_wide(entry.size) || is_wide(entry.compressed_size);
  std::string out;
  append_le<uint32_t>(out, zip::kLocalHeader);
  append_le<uint16_t>(out, wide ? kVersion45 : kVersion20);
  append_le<uint16_t>(out, flags_of(entry.name));
  append_le<uint16_t>(out, entry.method);
  append_le<uint32_t>(out, time_);
  append_le<uint32_t>(out, entry.crc);
  append_le<uint32_t>(out, wide ? zip::kIn64 : narrow(entry.compressed_size));
  append_le<uint32_t>(out, wide ? zip::kIn64 : narrow(entry.size));
  append_le<uint16_t>(out, static_cast<uint16_t>(entry.name.size()));
  append_le<uint16_t>(out, wide ? 20 : 0);
  out += entry.name;
  if (wide) {
    append_le<uint16_t>(out, zip::kExtraZip64);
    append_le<uint16_t>(out, 16);
    append_le<uint64_t>(out, entry.size);
    append_le<uint64_t>(out, entry.compressed_size);
  }
  return out;
}

std::string ZipWriter::central_header(const Entry& entry) const {
  std::string wide;
  const bool wide_sizes = is_wide(entry.size) || is_wide(entry.compressed_size);
  if (wide_sizes) {
    append_le<uint64_t>(wide, entry.size);
    append_le<uint64_t>(wide, entry.compressed_size);
  }
  if (is_wide(entry.offset)) append_le<uint64_t>(wide, entry.offset);
  std::string out;
  append_le<uint32_t>(out, zip::kCentralHeader);
  append_le<uint16_t>(out, kMadeByUnix | (wide.empty() ? kVersion20 : kVersion45));
  append_le<uint16_t>(out, wide.empty() ? kVersion20 : kVersion45);
  append_le<uint16_t>(out, flags_of(entry.name));
  append_le<uint16_t>(out, entry.method);
  append_le<uint32_t>(out, time_);
  append_le<uint32_t>(out, entry.crc);
  append_le<uint32_t>(out, wide_sizes ? zip::kIn64 : narrow(entry.compressed_size));
  append_le<uint32_t>(out, wide_sizes ? zip::kIn64 : narrow(entry.size));
  append_le<uint16_t>(out, static_cast<uint16_t>(entry.name.size()));
  append_le<uint16_t>(out, static_cast<uint16_t>(wide.empty() ? 0 : wide.size() + 4));
  append_le<uint16_t>(out, 0);  // comment
  append_le<uint16_t>(out, 0);  // disk
  append_le<uint16_t>(out, 0);  // internal attributes
  append_le<uint32_t>(out, (kRegularFile | entry.mode) << 16U);
  append_le<uint32_t>(out, narrow(entry.offset));
  out += entry.name;
  if (!wide.empty()) {
    append_le<uint16_t>(out, zip::kExtraZip64);
    append_le<uint16_t>(out, static_cast<uint16_t>(wide.size()));
    out += wide;
  }
  return out;
}

PackedMember pack_member(std::string name, std::string_view contents, uint32_t mode) {
  return packed_as(std::move(name), contents, mode, contents.empty() ? "" : deflate(contents));
}

Error compresses_worse(const std::string& name, uint64_t most) {
  return {ErrorKind::check, quoted(name) + " compresses to more than " + format_bytes(most) +
                                ", the limit for a member that was compressed better before"};
}

Result<PackedMember> pack_member_within(std::string name, std::string_view contents, uint32_t mode,
                                        uint64_t most) {
  std::optional<std::string> deflated = deflate_within(contents, most);
  if (!deflated) return fail(compresses_worse(name, most));
  return packed_as(std::move(name), contents, mode, *std::move(deflated));
}

Done ZipWriter::begin(const Entry& entry) {
  if (entry.name.empty() || entry.name.size() > 0xffff) {
    return fail(ErrorKind::check, "a member's name is empty or longer than 65535 bytes");
  }
  return put(local_header(entry));
}

Done ZipWriter::add(const std::string& name, std::string_view contents, uint32_t mode) {
  return add(pack_member(name, contents, mode));
}

Done ZipWriter::add(const PackedMember& member) {
  return add(
      PackedView{member.name, member.mode, member.method, member.crc, member.size, member.packed});
}

Done ZipWriter::add(const PackedView& member) {
  constexpr size_t kPiece = size_t{1} << 20U;
  Entry entry{member.name, member.method, member.crc, member.packed.size(),
              member.size, offset_,       member.mode};
  TRY_DONE(begin(entry));
  for (size_t at = 0; at < member.packed.size(); at += kPiece) {
    TRY_DONE(put(member.packed.substr(at, kPiece)));
  }
  entries_.push_back(std::move(entry));
  return {};
}

Done ZipWriter::copy(const ZipReader& from, const ZipMember& member, uint32_t mode) {
  constexpr uint64_t kPiece = uint64_t{1} << 20U;
  Entry entry{member.name, member.method, member.crc, member.compressed_size,
              member.size, offset_,       mode};
  TRY(const uint64_t start, from.data_offset(member));
  TRY_DONE(begin(entry));
  for (uint64_t at = 0; at < member.compressed_size; at += kPiece) {
    TRY(const std::string bytes,
        from.source().read(start + at, std::min(kPiece, member.compressed_size - at)));
    TRY_DONE(put(bytes));
  }
  entries_.push_back(std::move(entry));
  return {};
}

std::string ZipWriter::end_records(uint64_t directory_offset) const {
  const uint64_t size = offset_ - directory_offset;
  const uint64_t count = entries_.size();
  std::string out;
  if (count >= zip::kCountIn64 || is_wide(size) || is_wide(directory_offset)) {
    append_le<uint32_t>(out, zip::kEnd64);
    append_le<uint64_t>(out, zip::kEnd64Size - 12);
    append_le<uint16_t>(out, kMadeByUnix | kVersion45);
    append_le<uint16_t>(out, kVersion45);
    append_le<uint64_t>(out, 0);  // disks
    append_le<uint64_t>(out, count);
    append_le<uint64_t>(out, count);
    append_le<uint64_t>(out, size);
    append_le<uint64_t>(out, directory_offset);
    append_le<uint32_t>(out, zip::kEnd64Locator);
    append_le<uint32_t>(out, 0);
    append_le<uint64_t>(out, offset_);
    append_le<uint32_t>(out, 1);
  }
  const auto short_count = static_cast<uint16_t>(std::min<uint64_t>(count, zip::kCountIn64));
  append_le<uint32_t>(out, zip::kEnd);
  append_le<uint32_t>(out, 0);  // disks
  append_le<uint16_t>(out, short_count);
  append_le<uint16_t>(out, short_count);
  append_le<uint32_t>(out, narrow(size));
  append_le<uint32_t>(out, narrow(directory_offset));
  append_le<uint16_t>(out, 0);  // comment
  return out;
}

Done ZipWriter::finish() {
  const uint64_t directory_offset = offset_;
  for (const Entry& entry : entries_) TRY_DONE(put(central_header(entry)));
  return put(end_records(directory_offset));
}

}  // namespace pinwheel::wheel
