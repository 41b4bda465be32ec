#include "binary/dynamic_landmark.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

constexpr uint64_t kEntry = 16;
constexpr uint64_t kMostEntries = 1024;

/// Tags that every library with exports has; their values are addresses.
constexpr std::array<uint64_t, 3> kTables = {kStringTable, kSymbolTable, kGnuHash};

bool is_tag(uint64_t tag) {
  constexpr uint64_t kLastGeneric = 38;
  constexpr uint64_t kFirstOfSystem = 0x6000000d;
  constexpr uint64_t kLastOfProcessor = 0x7fffffff;
  return (tag >= 1 && tag <= kLastGeneric) || (tag >= kFirstOfSystem && tag <= kLastOfProcessor);
}

uint64_t entry_word(std::string_view bytes, uint64_t at) {
  return load_le<uint64_t>(bytes, at).value_or(0);
}

/// Whether the bytes are a plausible symbol table entry with a name.
bool is_symbol(std::string_view entry, uint32_t sections) {
  constexpr uint16_t kReserved = 0xff00;
  const auto info = static_cast<unsigned char>(entry[4]);
  const unsigned type = info & 0xfU;
  const unsigned binding = info >> 4U;
  const uint16_t section = load_le<uint16_t>(entry, 6).value_or(0);
  return load_le<uint32_t>(entry, 0).value_or(0) != 0 && (type <= 6 || type == 10) &&
         (binding <= 2 || binding == 10) && static_cast<unsigned char>(entry[5]) <= 3 &&
         (section < sections || section >= kReserved);
}

/// Whether symbol table entries fill nearly all of the bytes, from one of the first bytes on.
bool holds_symbols(std::string_view bytes, uint32_t sections) {
  for (uint64_t first = 0; first < kSymbolSize; ++first) {
    uint64_t symbols = 0;
    uint64_t entries = 0;
    for (uint64_t at = first; at + kSymbolSize <= bytes.size(); at += kSymbolSize) {
      ++entries;
      if (is_symbol(bytes.substr(at, kSymbolSize), sections)) ++symbols;
    }
    if (entries > 0 && symbols * 100 >= entries * 97) return true;
  }
  return false;
}

/// Whether the bytes contain only names and unknown bytes.
bool holds_names(std::string_view bytes) {
  constexpr uint64_t kFew = 256;
  uint64_t seen = 0;
  uint64_t strange = 0;
  for (const char c : bytes) {
    if (c == '\0') continue;
    ++seen;
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_' &&
        c != '.' && c != '$') {
      ++strange;
    }
  }
  return seen >= kFew && strange * 100 < seen;
}

}  // namespace

Result<DynamicLandmark> DynamicLandmark::of(const ports::ByteSource& library) {
  TRY(const ElfHeader header, read_elf_header(library));
  TRY(const Image image, Image::open(library, header));
  DynamicLandmark mark;
  mark.sections_ = header.sections;
  for (const Segment& segment : image.segments()) {
    if (segment.type == kLoad) mark.loaded_.push_back(segment);
    if (segment.type != kDynamic) continue;
    mark.offset_ = segment.offset;
    mark.size_ = segment.size;
  }
  if (mark.size_ < kEntry || mark.size_ > kMostEntries * kEntry ||
      mark.offset_ > library.size() - std::min(mark.size_, library.size())) {
    return broken_elf("it has no dynamic section");
  }
  return mark;
}

bool DynamicLandmark::is_loaded(uint64_t address) const {
  return std::any_of(loaded_.begin(), loaded_.end(), [&](const Segment& segment) {
    return address >= segment.address && address - segment.address < segment.size;
  });
}

bool DynamicLandmark::begins_at(std::string_view chunk, uint64_t at) const {
  if (at > chunk.size() || size_ > chunk.size() - at) return false;
  // An entry in front of `at` means that the section begins earlier.
  if (at >= kEntry && is_tag(entry_word(chunk, at - kEntry))) return false;
  const std::string_view section = chunk.substr(at, size_);
  uint64_t end = 0;
  size_t tables = 0;
  while (end + kEntry <= size_ && is_tag(entry_word(section, end))) {
    const uint64_t tag = entry_word(section, end);
    const bool table = std::find(kTables.begin(), kTables.end(), tag) != kTables.end();
    if (table && !is_loaded(entry_word(section, end + 8))) return false;
    if (table) ++tables;
    end += kEntry;
  }
  return tables == kTables.size() && end < size_ &&
         section.find_first_not_of('\0', end) == std::string_view::npos;
}

ChunkPosition DynamicLandmark::locate(std::string_view chunk) const {
  constexpr uint64_t kSample = 65536;
  constexpr std::string_view kStringTag("\5\0\0\0\0\0\0\0", 8);
  for (size_t tag = chunk.find(kStringTag); tag != std::string_view::npos;
       tag = chunk.find(kStringTag, tag + 1)) {
    if (tag + kEntry > chunk.size() || !is_loaded(entry_word(chunk, tag + 8))) continue;
    uint64_t first = tag;
    while (first >= kEntry && tag - first < size_ && is_tag(entry_word(chunk, first - kEntry))) {
      first -= kEntry;
    }
    if (begins_at(chunk, first)) return {ChunkPosition::Where::contains, first};
  }
  const std::string_view end = chunk.substr(chunk.size() - std::min(kSample, chunk.size()));
  const bool behind = holds_symbols(end, sections_) || holds_names(end);
  return {behind ? ChunkPosition::Where::after : ChunkPosition::Where::before};
}

}  // namespace pinwheel::binary
