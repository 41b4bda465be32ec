#include "binary/elf_image.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"

namespace pinwheel::binary {
namespace {

constexpr uint64_t kProgramHeaderSize = 56;
constexpr uint64_t kSectionHeaderSize = 64;
constexpr uint32_t kNoBits = 8;

/// The null section header holds the counts that do not fit the file header.
Done take_large_counts(const ports::ByteSource& source, ElfHeader& header) {
  constexpr uint64_t kFirstLarge = 0xff00;
  constexpr uint32_t kNamesElsewhere = 0xffff;
  if (header.sections_at == 0 || header.sections != 0) return {};
  // In a file without a section table the field may have any value.
  if (header.sections_at > source.size() ||
      source.size() - header.sections_at < kSectionHeaderSize) {
    return {};
  }
  TRY(const std::string bytes, source.read(header.sections_at, kSectionHeaderSize));
  ByteCursor cursor(bytes);
  const bool none = cursor.text(32).find_first_not_of('\0') == std::string_view::npos;
  const uint64_t sections = cursor.u64();
  const uint32_t names = cursor.u32();
  if (!none || sections < kFirstLarge || sections > UINT32_MAX) return {};
  header.sections = static_cast<uint32_t>(sections);
  if (header.names == kNamesElsewhere) header.names = names;
  return {};
}

}  // namespace

tl::unexpected<Error> broken_elf(const std::string& why) {
  return fail(ErrorKind::check, "the ELF file is corrupt: " + why);
}

bool StringTable::take(uint64_t length) {
  taken_ = std::min(taken_ + length, limits::kElfNames.most + 1);
  return taken_ <= limits::kElfNames.most;
}

std::string StringTable::at(uint64_t offset) {
  if (offset >= bytes_.size() || !take(0)) return {};
  const uint64_t length = std::min(bytes_.find('\0', offset), bytes_.size()) - offset;
  return take(length) ? bytes_.substr(offset, length) : std::string();
}

std::string StringTable::copy(const std::string& text) {
  return take(text.size()) ? text : std::string();
}

Done StringTable::within() const {
  return check_size("what the ELF file names", taken_, limits::kElfNames);
}

Result<ElfHeader> read_elf_header(const ports::ByteSource& source) {
  if (source.size() < kHeaderSize) return broken_elf("it is shorter than an ELF header");
  TRY(const std::string bytes, source.read(0, kHeaderSize));
  if (!is_elf(bytes)) return fail(ErrorKind::check, "the file is not an ELF file");
  if (bytes[4] != 2 || bytes[5] != 1) {
    return fail(ErrorKind::check, "the ELF file is not 64-bit little-endian");
  }
  ByteCursor cursor(bytes, 16);
  ElfHeader header;
  header.type = cursor.u16();
  header.machine = cursor.u16();
  cursor.text(4 + 8);
  header.segments_at = cursor.u64();
  header.sections_at = cursor.u64();
  cursor.text(4 + 2 + 2);
  header.segments = cursor.u16();
  cursor.u16();
  header.sections = cursor.u16();
  header.names = cursor.u16();
  TRY_DONE(take_large_counts(source, header));
  return header;
}

Result<Image> Image::open(const ports::ByteSource& source, const ElfHeader& header) {
  Image image(source);
  if (header.segments > limits::kElfSegments.most) {
    return fail(too_many("the ELF file", limits::kElfSegments));
  }
  TRY(const std::string bytes,
      source.read(header.segments_at, header.segments * kProgramHeaderSize));
  ByteCursor cursor(bytes);
  for (uint16_t i = 0; i < header.segments; ++i) {
    Segment segment;
    segment.type = cursor.u32();
    segment.flags = cursor.u32();
    segment.offset = cursor.u64();
    segment.address = cursor.u64();
    cursor.u64();
    segment.size = cursor.u64();
    cursor.text(16);
    image.segments_.push_back(segment);
  }
  return image;
}

Result<std::string> Image::at_address(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments_) {
    if (segment.type != kLoad || address < segment.address) continue;
    const uint64_t inside = address - segment.address;
    if (inside >= segment.size) continue;
    if (segment.offset > source_->size()) break;
    const uint64_t left = std::min(segment.size, source_->size() - segment.offset);
    if (inside >= left) break;
    return source_->read(segment.offset + inside, std::min(size, left - inside));
  }
  return broken_elf("a table lies outside its segments");
}

Result<SectionTable> read_sections(const Image& image, const ElfHeader& header) {
  SectionTable table;
  std::vector<SectionHeader>& headers = table.headers;
  if (header.sections_at == 0 || header.sections == 0) return table;
  if (header.sections > limits::kElfSections.most) {
    return fail(too_many("the ELF file", limits::kElfSections));
  }
  TRY(const std::string bytes,
      image.at_offset(header.sections_at, header.sections * kSectionHeaderSize));
  ByteCursor cursor(bytes);
  for (uint32_t i = 0; i < header.sections; ++i) {
    SectionHeader section;
    section.name = cursor.u32();
    section.type = cursor.u32();
    section.flags = cursor.u64();
    section.address = cursor.u64();
    section.offset = cursor.u64();
    section.size = cursor.u64();
    section.link = cursor.u32();
    section.info = cursor.u32();
    cursor.text(8 + 8);  // alignment, size of an entry
    headers.push_back(section);
  }
  if (header.names >= headers.size()) return broken_elf("its section names are missing");
  const SectionHeader& of_names = headers[header.names];
  TRY_DONE(check_size("the table of section names", of_names.size, limits::kElfNames));
  TRY(std::string bytes_of_names, image.at_offset(of_names.offset, of_names.size));
  StringTable names(std::move(bytes_of_names));
  for (const SectionHeader& section : headers) {
    table.sections.push_back(
        {names.at(section.name), section.offset, section.type == kNoBits ? 0 : section.size});
  }
  TRY_DONE(names.within());
  return table;
}

Result<Dynamic> read_dynamic(const Image& image) {
  Dynamic entries;
  for (const Segment& segment : image.segments()) {
    if (segment.type != kDynamic) continue;
    TRY_DONE(check_size("what the ELF file needs at run time", segment.size, limits::kElfDynamic));
    TRY(const std::string bytes, image.at_offset(segment.offset, segment.size));
    ByteCursor cursor(bytes);
    while (cursor.left() >= 16) {
      const uint64_t tag = cursor.u64();
      const uint64_t value = cursor.u64();
      if (tag == 0) break;
      entries.emplace_back(tag, value);
    }
    break;
  }
  return entries;
}

uint64_t value_of(const Dynamic& dynamic, uint64_t tag) {
  for (const auto& [key, value] : dynamic) {
    if (key == tag) return value;
  }
  return 0;
}

bool has_tag(const Dynamic& dynamic, uint64_t tag) {
  return std::any_of(dynamic.begin(), dynamic.end(),
                     [&](const auto& entry) { return entry.first == tag; });
}

}  // namespace pinwheel::binary
