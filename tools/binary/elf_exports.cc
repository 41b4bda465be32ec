#include "binary/elf_exports.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "binary/elf_image.h"

namespace pinwheel::binary {
namespace {

constexpr uint64_t kChainPiece = 65536;

/// The hash of DT_GNU_HASH.
uint32_t gnu_hash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

/// The per-symbol part of `.gnu.hash`.
struct HashTable {
  uint64_t first = 0;  ///< the first hashed symbol; those before it are not exported
  uint64_t count = 0;  ///< entries of the whole symbol table
  std::string links;   ///< 32 bits per symbol, starting at `first`
};

/// Reads links to the end of the chain of the highest bucket, which is the last symbol.
Result<HashTable> read_links(const Image& image, uint64_t address, HashTable table,
                             uint64_t highest) {
  uint64_t last = highest - table.first;
  while (true) {
    const uint64_t wanted = (last + 1) * 4;
    if (wanted > table.links.size()) {
      const uint64_t have = table.links.size();
      const uint64_t length = std::max(wanted - have, have == 0 ? uint64_t{0} : kChainPiece);
      TRY(const std::string more, image.at_address(address + have, length));
      table.links += more;
    }
    const std::optional<uint32_t> link = load_le<uint32_t>(table.links, last * 4);
    if (!link) return broken_elf("a chain of its symbol hash has no end");
    ++last;
    if ((*link & 1U) != 0) break;
  }
  table.count = table.first + last;
  return table;
}

Result<HashTable> read_hash(const Image& image, uint64_t address) {
  constexpr uint64_t kHead = 16;
  TRY(const std::string head, image.at_address(address, kHead));
  ByteCursor cursor(head);
  const uint64_t buckets = cursor.u32();
  HashTable table{cursor.u32(), 0, {}};
  const uint64_t bloom = cursor.u32();
  if (!cursor.ok()) return broken_elf("its symbol hash is truncated");
  const uint64_t buckets_at = address + kHead + bloom * 8;
  TRY(const std::string starts, image.at_address(buckets_at, buckets * 4));
  if (starts.size() < buckets * 4) return broken_elf("its symbol hash is truncated");
  uint64_t highest = 0;
  for (uint64_t i = 0; i < buckets; ++i) {
    highest = std::max<uint64_t>(highest, load_le<uint32_t>(starts, i * 4).value_or(0));
  }
  if (highest == 0) return table;
  if (highest < table.first) return broken_elf("its symbol hash is inconsistent");
  return read_links(image, buckets_at + buckets * 4, std::move(table), highest);
}

struct SymbolEntry {
  uint32_t name = 0;
  bool exported = false;
};

SymbolEntry read_entry(ByteCursor& cursor) {
  SymbolEntry entry;
  entry.name = cursor.u32();
  const unsigned binding = cursor.u8() >> 4U;
  const unsigned visibility = cursor.u8() & 3U;
  const uint16_t section = cursor.u16();
  cursor.text(16);
  constexpr unsigned kGlobal = 1;
  constexpr unsigned kWeak = 2;
  constexpr unsigned kUnique = 10;
  constexpr unsigned kDefault = 0;
  constexpr unsigned kProtected = 3;
  entry.exported = section != 0 && (binding == kGlobal || binding == kWeak || binding == kUnique) &&
                   (visibility == kDefault || visibility == kProtected);
  return entry;
}

Done read_names(const Image& image, const Dynamic& dynamic, StringTable& strings, ElfExports& out) {
  if (!has_tag(dynamic, kGnuHash)) return broken_elf("it has no `.gnu.hash`");
  TRY(const HashTable table, read_hash(image, value_of(dynamic, kGnuHash)));
  if (table.count == 0) return {};
  const uint64_t size = (table.count - table.first) * kSymbolSize;
  TRY(const std::string symbols,
      image.at_address(value_of(dynamic, kSymbolTable) + table.first * kSymbolSize, size));
  if (symbols.size() < size) return broken_elf("its symbol table is truncated");
  ByteCursor cursor(symbols);
  for (uint64_t i = 0; i < table.count - table.first; ++i) {
    const SymbolEntry entry = read_entry(cursor);
    std::string name = strings.at(entry.name);
    const uint32_t link = load_le<uint32_t>(table.links, i * 4).value_or(0);
    if ((gnu_hash(name) | 1U) != (link | 1U)) {
      return broken_elf("the name of a symbol does not match its hash");
    }
    if (entry.exported) out.names.push_back(std::move(name));
  }
  return {};
}

}  // namespace

Result<ElfExports> read_exports(const ports::ByteSource& source) {
  TRY(const ElfHeader header, read_elf_header(source));
  TRY(const Image image, Image::open(source, header));
  TRY(const Dynamic dynamic, read_dynamic(image));
  TRY(std::string bytes,
      image.at_address(value_of(dynamic, kStringTable), value_of(dynamic, kStringSize)));
  StringTable strings(std::move(bytes));
  ElfExports out;
  for (const auto& [tag, value] : dynamic) {
    if (tag == kNeeded) out.needed.push_back(strings.at(value));
    if (tag == kSoname) out.soname = strings.at(value);
  }
  const Done names = read_names(image, dynamic, strings, out);
  // Names beyond the limit do not match their hashes either.
  TRY_DONE(strings.within());
  TRY_DONE(names);
  return out;
}

}  // namespace pinwheel::binary
