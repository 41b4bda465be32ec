#include "binary/elf.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/limits.h"
#include "binary/elf_image.h"

namespace pinwheel::binary {
namespace {

/// A symbol version: with the library that must provide it, or without one when the file defines
/// it.
struct VersionName {
  std::string name;
  std::string library = {};
};

/// Versions by the index in the symbols (GNU symbol versioning).
using VersionNames = std::map<uint16_t, VersionName>;

/// The tables that symbols refer to.
struct SymbolTables {
  const std::vector<SectionHeader>& sections;
  StringTable& strings;
  const VersionNames& versions;
};

// The last symbol of the last chain is the last of the table; an empty hash table does not
// determine the length.
Result<uint64_t> count_by_gnu_hash(const Image& image, uint64_t address) {
  TRY(const std::string table, image.at_address(address, kMaxTable));
  ByteCursor head(table);
  const uint64_t buckets = head.u32();
  const uint64_t first = head.u32();
  const uint64_t bloom = head.u32();
  head.u32();
  const uint64_t buckets_at = 16 + bloom * 8;
  if (!head.ok() || buckets_at + buckets * 4 > table.size())
    return broken_elf("its symbol hash is truncated");
  uint64_t last = 0;
  for (uint64_t i = 0; i < buckets; ++i) {
    last = std::max<uint64_t>(last, load_le<uint32_t>(table, buckets_at + i * 4).value_or(0));
  }
  if (last < first || last == 0) return 0;
  const uint64_t chains_at = buckets_at + buckets * 4;
  while (true) {
    const std::optional<uint32_t> link = load_le<uint32_t>(table, chains_at + (last - first) * 4);
    if (!link) return broken_elf("a chain of its symbol hash has no end");
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
  // Linkers place the string table right after the symbols.
  const uint64_t strings = value_of(dynamic, kStringTable);
  return strings > symbols ? (strings - symbols) / kSymbolSize : 0;
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

SymbolKind kind_of(uint8_t info) {
  switch (info & 0xfU) {
    case 0:
      return SymbolKind::unknown;
    case 1:
      return SymbolKind::data;
    case 2:
      return SymbolKind::function;
    case 6:
      return SymbolKind::thread_local_data;
    default:
      return SymbolKind::other;
  }
}

/// Adds the dynamic symbols to `elf.defined` and `elf.undefined`. Kind `check` when the table, or
/// the hash that determines its length, is truncated.
Done read_symbols(const Image& image, const Dynamic& dynamic, const SymbolTables& tables,
                  Elf& elf) {
  TRY(const uint64_t count, count_symbols(image, dynamic, tables.sections));
  if (count > limits::kElfSymbols.most) return fail(too_many("the ELF file", limits::kElfSymbols));
  TRY(const std::string bytes,
      image.at_address(value_of(dynamic, kSymbolTable), count * kSymbolSize));
  if (bytes.size() < count * kSymbolSize) return broken_elf("its symbol table is truncated");
  std::string indexes;
  if (has_tag(dynamic, kVersym)) {
    TRY(indexes, image.at_address(value_of(dynamic, kVersym), count * 2));
  }
  ByteCursor cursor(bytes);
  for (uint64_t i = 0; i < count; ++i) {
    Symbol symbol;
    symbol.name = tables.strings.at(cursor.u32());
    const uint8_t info = cursor.u8();
    symbol.binding = binding_of(info);
    symbol.kind = kind_of(info);
    cursor.u8();
    const uint16_t section = cursor.u16();
    cursor.text(16);
    if (symbol.name.empty()) continue;
    const uint16_t index = load_le<uint16_t>(indexes, i * 2).value_or(1) & 0x7fffU;
    const auto version = tables.versions.find(index);
    // 0 and 1 mean local and unversioned; index 1 in the definitions names the file itself.
    if (index > 1 && version != tables.versions.end()) {
      symbol.version = tables.strings.copy(version->second.name);
      symbol.library = tables.strings.copy(version->second.library);
    }
    (section == 0 ? elf.undefined : elf.defined).push_back(std::move(symbol));
  }
  return {};
}

// Twice the size of the 65536 versions that symbols can refer to; the rest of the segment is not
// read.
constexpr uint64_t kMaxVersionTable = uint64_t{4} << 20U;

/// The versions required of other libraries, from the table at `address`; adds their indexes to
/// `names`. Kind `check` when the table is truncated or cyclic.
Result<std::vector<VersionNeed>> read_version_needs(const Image& image, uint64_t address,
                                                    StringTable& strings, VersionNames& names) {
  std::vector<VersionNeed> needs;
  TRY(const std::string bytes, image.at_address(address, kMaxVersionTable));
  uint64_t at = 0;
  uint64_t left = bytes.size() / 16;  // of the versions of all libraries
  // Each record has at least 16 bytes, so a valid table needs no more steps than this.
  for (uint64_t budget = bytes.size() / 16; budget > 0; --budget) {
    ByteCursor need(bytes, at);
    need.u16();
    const uint16_t count = need.u16();
    VersionNeed out{strings.at(need.u32()), {}};
    uint64_t aux_at = at + need.u32();
    const uint32_t next = need.u32();
    if (!need.ok()) return broken_elf("its version needs are truncated");
    for (uint16_t i = 0; i < count; ++i) {
      ByteCursor aux(bytes, aux_at);
      aux.text(6);
      const uint16_t index = aux.u16();
      const std::string version = strings.at(aux.u32());
      const uint32_t aux_next = aux.u32();
      if (!aux.ok()) return broken_elf("its version needs are truncated");
      if (left-- == 0) return broken_elf("its version needs are cyclic");
      out.versions.push_back(version);
      names[index & 0x7fffU] = {version, out.library};
      if (aux_next == 0) break;
      aux_at += aux_next;
    }
    std::sort(out.versions.begin(), out.versions.end());
    needs.push_back(std::move(out));
    if (next == 0) return needs;
    at += next;
  }
  return broken_elf("its version needs are cyclic");
}

/// Adds the versions that the file defines to `names`; kind `check` as above.
Done read_version_definitions(const Image& image, uint64_t address, StringTable& strings,
                              VersionNames& names) {
  TRY(const std::string bytes, image.at_address(address, kMaxVersionTable));
  uint64_t at = 0;
  for (uint64_t budget = bytes.size() / 20; budget > 0; --budget) {
    ByteCursor definition(bytes, at);
    definition.text(4);
    const uint16_t index = definition.u16();
    definition.text(6);
    const uint32_t aux = definition.u32();
    const uint32_t next = definition.u32();
    if (!definition.ok()) return broken_elf("its version definitions are truncated");
    names[index & 0x7fffU] = {strings.at(load_le<uint32_t>(bytes, at + aux).value_or(0))};
    if (next == 0) return {};
    at += next;
  }
  return broken_elf("its version definitions are cyclic");
}

void read_flags(const Image& image, const Dynamic& dynamic, Elf& elf) {
  constexpr uint32_t kExecute = 1;
  constexpr uint64_t kFlagTextrel = 4;
  constexpr uint64_t kFlagNow = 8;
  constexpr uint16_t kMachineX86 = 62;
  // Without PT_GNU_STACK the loader gives an x86-64 library an executable stack.
  elf.executable_stack = elf.machine == kMachineX86 && !image.segments().empty();
  for (const Segment& segment : image.segments()) {
    if (segment.type == kGnuStack) elf.executable_stack = (segment.flags & kExecute) != 0;
    if (segment.type == kGnuRelro) elf.relro = Relro::partial;
  }
  const uint64_t flags = value_of(dynamic, kFlags);
  elf.text_relocations = has_tag(dynamic, kTextrel) || (flags & kFlagTextrel) != 0;
  elf.packed_relocations = has_tag(dynamic, kRelr);
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
  TRY(const ElfHeader header, read_elf_header(source));
  Elf elf;
  elf.type = header.type;
  elf.machine = header.machine;
  TRY(const Image image, Image::open(source, header));
  TRY(SectionTable table, read_sections(image, header));
  elf.sections = std::move(table.sections);
  TRY(const Dynamic dynamic, read_dynamic(image));
  read_flags(image, dynamic, elf);
  if (!has_tag(dynamic, kStringTable)) return elf;
  TRY(std::string bytes,
      image.at_address(value_of(dynamic, kStringTable), value_of(dynamic, kStringSize)));
  StringTable strings(std::move(bytes));
  for (const auto& [tag, value] : dynamic) {
    if (tag == kNeeded) elf.needed.push_back(strings.at(value));
    if (tag == kSoname) elf.soname = strings.at(value);
    if (tag == kRpath) elf.rpath = strings.at(value);
    if (tag == kRunpath) elf.runpath = strings.at(value);
  }
  VersionNames versions;
  if (has_tag(dynamic, kVerneed)) {
    TRY(elf.version_needs,
        read_version_needs(image, value_of(dynamic, kVerneed), strings, versions));
  }
  if (has_tag(dynamic, kVerdef)) {
    TRY_DONE(read_version_definitions(image, value_of(dynamic, kVerdef), strings, versions));
  }
  if (has_tag(dynamic, kSymbolTable)) {
    TRY_DONE(read_symbols(image, dynamic, {table.headers, strings, versions}, elf));
  }
  TRY_DONE(strings.within());
  return elf;
}

}  // namespace pinwheel::binary
