#include "binary/elf.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr uint64_t kHeaderSize = 64;
constexpr uint64_t kProgramHeaderSize = 56;
constexpr uint64_t kSectionHeaderSize = 64;
constexpr uint64_t kSymbolSize = 24;
constexpr uint32_t kLoad = 1;
constexpr uint32_t kDynamic = 2;
constexpr uint32_t kGnuStack = 0x6474e551;
constexpr uint32_t kGnuRelro = 0x6474e552;
constexpr uint32_t kNoBits = 8;

// Tags of the dynamic section.
constexpr uint64_t kNeeded = 1;
constexpr uint64_t kHash = 4;
constexpr uint64_t kStringTable = 5;
constexpr uint64_t kSymbolTable = 6;
constexpr uint64_t kStringSize = 10;
constexpr uint64_t kSoname = 14;
constexpr uint64_t kRpath = 15;
constexpr uint64_t kTextrel = 22;
constexpr uint64_t kBindNow = 24;
constexpr uint64_t kRunpath = 29;
constexpr uint64_t kFlags = 30;
constexpr uint64_t kGnuHash = 0x6ffffef5;
constexpr uint64_t kVersym = 0x6ffffff0;
constexpr uint64_t kFlags1 = 0x6ffffffb;
constexpr uint64_t kVerneed = 0x6ffffffe;
constexpr uint64_t kVerdef = 0x6ffffffc;

tl::unexpected<Error> broken(const std::string& why) {
  return fail(ErrorKind::check, "the ELF file is damaged: " + why);
}

struct Segment {
  uint32_t type = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t size = 0;
};

struct SectionHeader {
  uint32_t name = 0;
  uint32_t type = 0;
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct Header {
  uint16_t type = 0;
  uint16_t machine = 0;
  uint64_t segments_at = 0;
  uint64_t sections_at = 0;
  uint16_t segments = 0;
  uint16_t sections = 0;
  uint16_t names = 0;
};

using Dynamic = std::vector<std::pair<uint64_t, uint64_t>>;

std::string text_at(const std::string& table, uint64_t offset) {
  if (offset >= table.size()) return {};
  return table.substr(offset, table.find('\0', offset) - offset);
}

Result<Header> read_header(const ports::ByteSource& source) {
  if (source.size() < kHeaderSize) return broken("it is shorter than its header");
  TRY(const std::string bytes, source.read(0, kHeaderSize));
  if (!is_elf(bytes)) return fail(ErrorKind::check, "the file is no ELF file");
  if (bytes[4] != 2 || bytes[5] != 1) {
    return fail(ErrorKind::check, "the ELF file is not 64-bit little-endian");
  }
  ByteCursor cursor(bytes, 16);
  Header header;
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
  return header;
}

// The tables and what is read through them; knows how addresses map to file offsets.
class Image {
 public:
  static Result<Image> open(const ports::ByteSource& source, const Header& header) {
    Image image(source);
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

  const std::vector<Segment>& segments() const { return segments_; }

  Result<std::string> at_offset(uint64_t offset, uint64_t size) const {
    return source_->read(offset, size);
  }
  /// Bytes from an address to the end of the segment that holds it, at most `size`.
  Result<std::string> at_address(uint64_t address, uint64_t size) const {
    for (const Segment& segment : segments_) {
      if (segment.type != kLoad || address < segment.address) continue;
      const uint64_t inside = address - segment.address;
      if (inside >= segment.size) continue;
      if (segment.offset > source_->size()) break;
      const uint64_t left = std::min(segment.size, source_->size() - segment.offset);
      if (inside >= left) break;
      return source_->read(segment.offset + inside, std::min(size, left - inside));
    }
    return broken("a table lies outside its segments");
  }

 private:
  explicit Image(const ports::ByteSource& source) : source_(&source) {}

  const ports::ByteSource* source_;
  std::vector<Segment> segments_;
};

Result<std::vector<SectionHeader>> read_sections(const Image& image, const Header& header,
                                                 Elf& elf) {
  std::vector<SectionHeader> headers;
  if (header.sections_at == 0 || header.sections == 0) return headers;
  TRY(const std::string bytes,
      image.at_offset(header.sections_at, header.sections * kSectionHeaderSize));
  ByteCursor cursor(bytes);
  for (uint16_t i = 0; i < header.sections; ++i) {
    SectionHeader section;
    section.name = cursor.u32();
    section.type = cursor.u32();
    cursor.u64();
    section.address = cursor.u64();
    section.offset = cursor.u64();
    section.size = cursor.u64();
    cursor.text(24);
    headers.push_back(section);
  }
  if (header.names >= headers.size()) return broken("its section names are missing");
  TRY(const std::string names,
      image.at_offset(headers[header.names].offset, headers[header.names].size));
  for (const SectionHeader& section : headers) {
    elf.sections.push_back(
        {text_at(names, section.name), section.offset, section.type == kNoBits ? 0 : section.size});
  }
  return headers;
}

Result<Dynamic> read_dynamic(const Image& image) {
  Dynamic entries;
  for (const Segment& segment : image.segments()) {
    if (segment.type != kDynamic) continue;
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

// The last symbol of the longest chain is the last of the table; an empty table says nothing.
Result<uint64_t> count_by_gnu_hash(const Image& image, uint64_t address) {
  TRY(const std::string table, image.at_address(address, UINT64_MAX));
  ByteCursor head(table);
  const uint64_t buckets = head.u32();
  const uint64_t first = head.u32();
  const uint64_t bloom = head.u32();
  head.u32();
  const uint64_t buckets_at = 16 + bloom * 8;
  if (!head.ok() || buckets_at + buckets * 4 > table.size())
    return broken("its symbol hash is cut");
  uint64_t last = 0;
  for (uint64_t i = 0; i < buckets; ++i) {
    last = std::max<uint64_t>(last, load_le<uint32_t>(table, buckets_at + i * 4).value_or(0));
  }
  if (last < first || last == 0) return 0;
  const uint64_t chains_at = buckets_at + buckets * 4;
  while (true) {
    const std::optional<uint32_t> link = load_le<uint32_t>(table, chains_at + (last - first) * 4);
    if (!link) return broken("a chain of its symbol hash does not end");
    ++last;
    if ((*link & 1U) != 0) return last;
  }
}

Result<uint64_t> count_symbols(const Image& image, const Dynamic& dynamic,
                               const std::vector<SectionHeader>& sections) {
  const uint64_t symbols = value_of(dynamic, kSymbolTable);
  for (const SectionHeader& section : sections) {
    constexpr uint32_t kDynsym = 11;
    if (section.type == kDynsym && section.address == symbols) return section.size / kSymbolSize;
  }
  if (has_tag(dynamic, kHash)) {
    TRY(const std::string head, image.at_address(value_of(dynamic, kHash), 8));
    return load_le<uint32_t>(head, 4).value_or(0);
  }
  if (has_tag(dynamic, kGnuHash)) {
    TRY(const uint64_t count, count_by_gnu_hash(image, value_of(dynamic, kGnuHash)));
    if (count != 0) return count;
  }
  // Linkers put the strings right behind the symbols.
  const uint64_t strings = value_of(dynamic, kStringTable);
  return strings > symbols ? (strings - symbols) / kSymbolSize : 0;
}

using VersionNames = std::map<uint16_t, std::string>;

Done read_needs(const Image& image, uint64_t address, const std::string& strings, Elf& elf,
                VersionNames& names) {
  TRY(const std::string bytes, image.at_address(address, UINT64_MAX));
  uint64_t at = 0;
  // Each record is at least 16 bytes, so this many steps visit every honest table.
  for (uint64_t budget = bytes.size() / 16; budget > 0; --budget) {
    ByteCursor need(bytes, at);
    need.u16();
    const uint16_t count = need.u16();
    VersionNeed out{text_at(strings, need.u32()), {}};
    uint64_t aux_at = at + need.u32();
    const uint32_t next = need.u32();
    if (!need.ok()) return broken("its version needs are cut");
    for (uint16_t i = 0; i < count; ++i) {
      ByteCursor aux(bytes, aux_at);
      aux.text(6);
      const uint16_t index = aux.u16();
      const std::string version = text_at(strings, aux.u32());
      const uint32_t aux_next = aux.u32();
      if (!aux.ok()) return broken("its version needs are cut");
      out.versions.push_back(version);
      names[index & 0x7fffU] = version;
      if (aux_next == 0) break;
      aux_at += aux_next;
    }
    std::sort(out.versions.begin(), out.versions.end());
    elf.version_needs.push_back(std::move(out));
    if (next == 0) return {};
    at += next;
  }
  return broken("its version needs run in a circle");
}

Done read_definitions(const Image& image, uint64_t address, const std::string& strings,
                      VersionNames& names) {
  TRY(const std::string bytes, image.at_address(address, UINT64_MAX));
  uint64_t at = 0;
  for (uint64_t budget = bytes.size() / 20; budget > 0; --budget) {
    ByteCursor definition(bytes, at);
    definition.text(4);
    const uint16_t index = definition.u16();
    definition.text(6);
    const uint32_t aux = definition.u32();
    const uint32_t next = definition.u32();
    if (!definition.ok()) return broken("its version definitions are cut");
    names[index & 0x7fffU] = text_at(strings, load_le<uint32_t>(bytes, at + aux).value_or(0));
    if (next == 0) return {};
    at += next;
  }
  return broken("its version definitions run in a circle");
}

Binding binding_of(uint8_t info) {
  switch (info >> 4U) {
    case 0:
      return Binding::local;
    case 1:
      return Binding::global;
    case 2:
      return Binding::weak;
    default:
      return Binding::other;
  }
}

struct SymbolTables {
  uint64_t count = 0;
  const std::string& strings;
  const VersionNames& versions;
};

Done read_symbols(const Image& image, const Dynamic& dynamic, const SymbolTables& tables,
                  Elf& elf) {
  if (tables.count > UINT64_MAX / kSymbolSize) return broken("its symbol table is cut");
  TRY(const std::string bytes,
      image.at_address(value_of(dynamic, kSymbolTable), tables.count * kSymbolSize));
  if (bytes.size() < tables.count * kSymbolSize) return broken("its symbol table is cut");
  std::string indexes;
  if (has_tag(dynamic, kVersym)) {
    TRY(indexes, image.at_address(value_of(dynamic, kVersym), tables.count * 2));
  }
  ByteCursor cursor(bytes);
  for (uint64_t i = 0; i < tables.count; ++i) {
    Symbol symbol;
    symbol.name = text_at(tables.strings, cursor.u32());
    symbol.binding = binding_of(cursor.u8());
    cursor.u8();
    const uint16_t section = cursor.u16();
    cursor.text(16);
    if (symbol.name.empty()) continue;
    const uint16_t index = load_le<uint16_t>(indexes, i * 2).value_or(1) & 0x7fffU;
    const auto version = tables.versions.find(index);
    // 0 and 1 mean local and unversioned; index 1 in the definitions names the file itself.
    if (index > 1 && version != tables.versions.end()) symbol.version = version->second;
    (section == 0 ? elf.undefined : elf.defined).push_back(std::move(symbol));
  }
  return {};
}

void read_flags(const Image& image, const Dynamic& dynamic, Elf& elf) {
  constexpr uint32_t kExecute = 1;
  constexpr uint64_t kFlagTextrel = 4;
  constexpr uint64_t kFlagNow = 8;
  for (const Segment& segment : image.segments()) {
    if (segment.type == kGnuStack) elf.executable_stack = (segment.flags & kExecute) != 0;
    if (segment.type == kGnuRelro) elf.relro = Relro::partial;
  }
  const uint64_t flags = value_of(dynamic, kFlags);
  elf.text_relocations = has_tag(dynamic, kTextrel) || (flags & kFlagTextrel) != 0;
  const bool now = has_tag(dynamic, kBindNow) || (flags & kFlagNow) != 0 ||
                   (value_of(dynamic, kFlags1) & 1U) != 0;
  if (elf.relro == Relro::partial && now) elf.relro = Relro::full;
}

}  // namespace

const Section* Elf::section(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

bool is_elf(std::string_view first_bytes) {
  return first_bytes.starts_with(
      "\x7f"
      "ELF");
}

std::string machine_name(uint16_t machine) {
  if (machine == 62) return "x86_64";
  if (machine == 183) return "aarch64";
  return "machine " + std::to_string(machine);
}

Result<Elf> read_elf(const ports::ByteSource& source) {
  TRY(const Header header, read_header(source));
  Elf elf;
  elf.type = header.type;
  elf.machine = header.machine;
  TRY(const Image image, Image::open(source, header));
  TRY(const std::vector<SectionHeader> sections, read_sections(image, header, elf));
  TRY(const Dynamic dynamic, read_dynamic(image));
  read_flags(image, dynamic, elf);
  if (!has_tag(dynamic, kStringTable)) return elf;
  TRY(const std::string strings,
      image.at_address(value_of(dynamic, kStringTable), value_of(dynamic, kStringSize)));
  for (const auto& [tag, value] : dynamic) {
    if (tag == kNeeded) elf.needed.push_back(text_at(strings, value));
    if (tag == kSoname) elf.soname = text_at(strings, value);
    if (tag == kRpath) elf.rpath = text_at(strings, value);
    if (tag == kRunpath) elf.runpath = text_at(strings, value);
  }
  VersionNames versions;
  if (has_tag(dynamic, kVerneed)) {
    TRY_DONE(read_needs(image, value_of(dynamic, kVerneed), strings, elf, versions));
  }
  if (has_tag(dynamic, kVerdef)) {
    TRY_DONE(read_definitions(image, value_of(dynamic, kVerdef), strings, versions));
  }
  if (has_tag(dynamic, kSymbolTable)) {
    TRY(const uint64_t count, count_symbols(image, dynamic, sections));
    TRY_DONE(read_symbols(image, dynamic, {count, strings, versions}, elf));
  }
  return elf;
}

}  // namespace pinwheel::binary
