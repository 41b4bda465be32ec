#include "binary/elf_symbols.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"

namespace pinwheel::binary {
namespace {

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

}  // namespace

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

}  // namespace pinwheel::binary
