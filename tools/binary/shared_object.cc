#include "binary/shared_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "base/text.h"
#include "binary/elf_image.h"

namespace pinwheel::binary {
namespace {

constexpr uint16_t kX86 = 62;
constexpr uint16_t kArm = 183;
constexpr uint64_t kAlignment = 16;

uint64_t aligned(uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::string number_code(uint16_t machine, uint16_t value) {
  std::string code;
  if (machine == kX86) {
    code.push_back('\xb8');  // mov eax, value
    append_le<uint32_t>(code, value);
    code.push_back('\xc3');  // ret
  } else {
    append_le<uint32_t>(code, 0x52800000U | (uint32_t{value} << 5U));  // mov w0, value
    append_le<uint32_t>(code, 0xd65f03c0U);                            // ret
  }
  return code;
}

/// The string follows the code that returns its address.
std::string text_code(uint16_t machine, const std::string& text) {
  std::string code;
  if (machine == kX86) {
    code = "\x48\x8d\x05";  // lea rax, [rip + 1]
    append_le<uint32_t>(code, 1);
    code.push_back('\xc3');  // ret
  } else {
    append_le<uint32_t>(code, 0x10000040U);  // adr x0, . + 8
    append_le<uint32_t>(code, 0xd65f03c0U);  // ret
  }
  return code + text + '\0';
}

/// Whether code can be generated for the machine type of an ELF header.
bool has_code(uint16_t machine) {
  return machine == kX86 || machine == kArm;
}

}  // namespace

SymbolPlace Bodies::add(const Export& symbol) {
  if (const auto* data = std::get_if<ZeroedData>(&symbol.body)) {
    const SymbolPlace place{SymbolArea::zeroed, aligned(zeroed_), data->size};
    zeroed_ = place.offset + place.size;
    return place;
  }
  code_.resize(aligned(code_.size()), '\0');
  const auto* text = std::get_if<ReturnsText>(&symbol.body);
  const std::string code = text != nullptr
                               ? text_code(machine_, text->text)
                               : number_code(machine_, std::get<ReturnsNumber>(symbol.body).value);
  const SymbolPlace place{SymbolArea::code, code_.size(), code.size()};
  code_ += code;
  return place;
}

namespace {

constexpr uint64_t kSegmentSize = 56;
constexpr uint64_t kSegments = 5;
constexpr uint64_t kDefinitionSize = 28;  // a version definition with the name that follows it
constexpr uint64_t kPage = 0x10000;       // the largest page size of both machines

// The sections, by their index in the table.
enum Index : uint16_t {
  kNull,
  kHashes,
  kSymbols,
  kStrings,
  kIndexes,
  kDefinitions,
  kText,
  kDynamics,
  kBss,
  kNames,
  kCount
};

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// The gABI hash function, for symbols and version names.
uint32_t hash_of(const std::string& name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4U) + static_cast<unsigned char>(c);
    const uint32_t top = hash & 0xf0000000U;
    hash = (hash ^ (top >> 24U)) & ~top;
  }
  return hash;
}

/// A string table: each string once, the empty string first.
class Strings {
 public:
  uint32_t at(const std::string& text) {
    if (text.empty()) return 0;
    const auto [place, is_new] = places_.emplace(text, static_cast<uint32_t>(bytes_.size()));
    if (is_new) bytes_ += text + '\0';
    return place->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, uint32_t> places_;
};

/// A section header and the section's contents.
struct Part {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 8;
  uint64_t entry = 0;
  std::string bytes = {};
};

class Writer {
 public:
  explicit Writer(const SharedObject& object) : object_(object), bodies_(object.machine) {}

  std::string write() {
    intern();
    describe();
    lay_out();
    fill();
    std::string out = header() + segments();
    for (const Part& part : parts_) {
      if (part.bytes.empty()) continue;  // .bss has an address but no bytes in the file
      out.resize(part.offset, '\0');
      out += part.bytes;
    }
    out.resize(table_at_, '\0');
    for (const Part& part : parts_) append_header(part, out);
    return out;
  }

 private:
  uint64_t symbols() const { return object_.exports.size() + 1; }
  uint64_t definitions() const {
    return object_.versions.empty() ? 0 : object_.versions.size() + 1;
  }

  void intern() {
    strings_.at(object_.soname);
    for (const std::string& version : object_.versions) strings_.at(version);
    for (const Export& symbol : object_.exports) {
      strings_.at(symbol.name);
      places_.push_back(bodies_.add(symbol));
    }
  }

  /// Fills in the sections and their sizes, without offsets.
  void describe() {
    constexpr uint32_t kProgram = 1;
    constexpr uint32_t kStringType = 3;
    constexpr uint64_t kWrite = 1;
    constexpr uint64_t kLoaded = 2;
    constexpr uint64_t kCode = 4;
    parts_.resize(kCount);
    parts_[kNull].alignment = 0;
    parts_[kHashes] = {".hash", 5, kLoaded, 0, 0, 4 * (2 + 2 * symbols()), kSymbols, 0, 8, 4};
    parts_[kSymbols] = {".dynsym", 11, kLoaded, 0,          0, kSymbolSize * symbols(),
                        kStrings,  1,  8,       kSymbolSize};
    parts_[kStrings] = {".dynstr", kStringType, kLoaded, 0, 0, strings_.bytes().size(), 0, 0, 1};
    parts_[kIndexes] = {".gnu.version", 0x6fffffff, kLoaded, 0, 0,
                        2 * symbols(),  kSymbols,   0,       2, 2};
    parts_[kDefinitions] = {".gnu.version_d",
                            0x6ffffffd,
                            kLoaded,
                            0,
                            0,
                            kDefinitionSize * definitions(),
                            kStrings,
                            static_cast<uint32_t>(definitions())};
    parts_[kText] = {".text", kProgram, kLoaded | kCode, 0, 0, bodies_.code().size(), 0, 0, 16};
    parts_[kDynamics] = {
        ".dynamic", 6, kLoaded | kWrite, 0, 0, 16 * dynamic_tags().size(), kStrings, 0, 8, 16};
    parts_[kBss] = {".bss", 8, kLoaded | kWrite, 0, 0, bodies_.zeroed(), 0, 0, 16};
    Strings names;
    for (const Part& part : parts_) names.at(part.name);
    names.at(".shstrtab");
    parts_[kNames] = {".shstrtab", kStringType, 0, 0, 0, names.bytes().size(), 0, 0, 1};
    parts_[kNames].bytes = names.bytes();
    names_ = std::move(names);
  }

  /// Read-only sections are mapped at their file offset, code and data one and two pages further,
  /// so that no page needs two protections and the file has no holes.
  void lay_out() {
    uint64_t at = kHeaderSize + kSegments * kSegmentSize;
    for (uint16_t i = kHashes; i < kCount; ++i) {
      Part& part = parts_[i];
      part.offset = aligned(at, std::max<uint64_t>(part.alignment, 1));
      const uint64_t pages = i < kText ? 0 : i == kText ? 1 : 2;
      if (part.flags != 0) part.address = part.offset + pages * kPage;
      if (i != kBss) at = part.offset + part.size;
    }
    table_at_ = aligned(at, 8);
  }

  void fill() {
    parts_[kHashes].bytes = hashes();
    parts_[kSymbols].bytes = symbol_table();
    parts_[kStrings].bytes = strings_.bytes();
    parts_[kIndexes].bytes = version_indexes();
    parts_[kDefinitions].bytes = version_definitions();
    parts_[kText].bytes = bodies_.code();
    for (const auto& [tag, value] : dynamic_tags()) {
      append_le<uint64_t>(parts_[kDynamics].bytes, tag);
      append_le<uint64_t>(parts_[kDynamics].bytes, value);
    }
  }

  Dynamic dynamic_tags() {
    Dynamic tags = {
        {kSoname, strings_.at(object_.soname)},   {kHash, parts_[kHashes].address},
        {kStringTable, parts_[kStrings].address}, {kSymbolTable, parts_[kSymbols].address},
        {kStringSize, parts_[kStrings].size},     {kSymbolEntry, kSymbolSize},
        {kVersym, parts_[kIndexes].address}};
    if (definitions() != 0) {
      tags.emplace_back(kVerdef, parts_[kDefinitions].address);
      tags.emplace_back(kVerdefCount, definitions());
    }
    tags.emplace_back(0, 0);
    return tags;
  }

  /// As many buckets as symbols, including the null symbol, which ends the chains.
  std::string hashes() const {
    std::vector<uint32_t> buckets(symbols(), 0);
    std::vector<uint32_t> chain(symbols(), 0);
    for (uint32_t i = 1; i < symbols(); ++i) {
      uint32_t& bucket = buckets[hash_of(object_.exports[i - 1].name) % buckets.size()];
      chain[i] = bucket;
      bucket = i;
    }
    std::string out;
    append_le<uint32_t>(out, static_cast<uint32_t>(buckets.size()));
    append_le<uint32_t>(out, static_cast<uint32_t>(chain.size()));
    for (const uint32_t index : buckets) append_le<uint32_t>(out, index);
    for (const uint32_t index : chain) append_le<uint32_t>(out, index);
    return out;
  }

  std::string symbol_table() {
    constexpr uint8_t kGlobal = 1U << 4U;
    constexpr uint8_t kData = 1;
    constexpr uint8_t kFunction = 2;
    std::string out(kSymbolSize, '\0');
    for (size_t i = 0; i < places_.size(); ++i) {
      const SymbolPlace& place = places_[i];
      append_le<uint32_t>(out, strings_.at(object_.exports[i].name));
      append_le<uint8_t>(out, kGlobal | (place.area == SymbolArea::zeroed ? kData : kFunction));
      append_le<uint8_t>(out, 0);
      const Index section = place.area == SymbolArea::zeroed ? kBss : kText;
      append_le<uint16_t>(out, section);
      append_le<uint64_t>(out, parts_[section].address + place.offset);
      append_le<uint64_t>(out, place.size);
    }
    return out;
  }

  /// 0 is local, 1 the base version, then the versions in order.
  std::string version_indexes() const {
    constexpr uint16_t kHidden = 0x8000;
    std::map<std::string, uint16_t> numbers = {{"", 1}};
    for (const std::string& version : object_.versions) {
      numbers.emplace(version, static_cast<uint16_t>(numbers.size() + 1));
    }
    std::set<std::string> seen;
    std::string out(2, '\0');
    for (const Export& symbol : object_.exports) {
      const bool first = seen.insert(symbol.name).second;
      append_le<uint16_t>(out, numbers.at(symbol.version) | (first ? 0 : kHidden));
    }
    return out;
  }

  std::string version_definitions() {
    std::string out;
    if (object_.versions.empty()) return out;
    std::vector<std::string> names = {object_.soname};
    names.insert(names.end(), object_.versions.begin(), object_.versions.end());
    for (size_t i = 0; i < names.size(); ++i) {
      append_le<uint16_t>(out, 1);               // the only revision
      append_le<uint16_t>(out, i == 0 ? 1 : 0);  // the base
      append_le<uint16_t>(out, static_cast<uint16_t>(i + 1));
      append_le<uint16_t>(out, 1);  // one name, after this record
      append_le<uint32_t>(out, hash_of(names[i]));
      append_le<uint32_t>(out, 20);
      append_le<uint32_t>(out, i + 1 == names.size() ? 0 : kDefinitionSize);
      append_le<uint32_t>(out, strings_.at(names[i]));
      append_le<uint32_t>(out, 0);
    }
    return out;
  }

  std::string header() const {
    std::string out(
        "\x7f"
        "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
        16);
    append_le<uint16_t>(out, 3);
    append_le<uint16_t>(out, object_.machine);
    append_le<uint32_t>(out, 1);
    append_le<uint64_t>(out, 0);
    append_le<uint64_t>(out, kHeaderSize);
    append_le<uint64_t>(out, table_at_);
    append_le<uint32_t>(out, 0);
    for (const uint64_t number : {kHeaderSize, kSegmentSize, kSegments, kHeaderSize}) {
      append_le<uint16_t>(out, static_cast<uint16_t>(number));
    }
    append_le<uint16_t>(out, kCount);
    append_le<uint16_t>(out, kNames);
    return out;
  }

  std::string segments() const {
    constexpr uint32_t kRead = 4;
    constexpr uint32_t kWrite = 2;
    constexpr uint32_t kExecute = 1;
    std::string out;
    const auto add = [&out](uint32_t type, uint32_t flags, const Part& from, uint64_t in_file,
                            uint64_t in_memory, uint64_t alignment) {
      append_le<uint32_t>(out, type);
      append_le<uint32_t>(out, flags);
      for (const uint64_t number :
           {from.offset, from.address, from.address, in_file, in_memory, alignment}) {
        append_le<uint64_t>(out, number);
      }
    };
    const Part& last = parts_[kDefinitions];
    const Part& text = parts_[kText];
    const Part& dynamic = parts_[kDynamics];
    const Part& bss = parts_[kBss];
    const uint64_t read_only = last.offset + last.size;
    add(kLoad, kRead, Part{}, read_only, read_only, kPage);
    add(kLoad, kRead | kExecute, text, text.size, text.size, kPage);
    add(kLoad, kRead | kWrite, dynamic, dynamic.size, bss.address + bss.size - dynamic.address,
        kPage);
    add(kDynamic, kRead | kWrite, dynamic, dynamic.size, dynamic.size, 8);
    add(kGnuStack, kRead | kWrite, Part{}, 0, 0, 16);
    return out;
  }

  void append_header(const Part& part, std::string& out) {
    append_le<uint32_t>(out, names_.at(part.name));
    append_le<uint32_t>(out, part.type);
    for (const uint64_t number : {part.flags, part.address, part.offset, part.size}) {
      append_le<uint64_t>(out, number);
    }
    append_le<uint32_t>(out, part.link);
    append_le<uint32_t>(out, part.info);
    append_le<uint64_t>(out, part.alignment);
    append_le<uint64_t>(out, part.entry);
  }

  const SharedObject& object_;
  Strings strings_;
  Strings names_;
  Bodies bodies_;
  std::vector<SymbolPlace> places_;
  std::vector<Part> parts_;
  uint64_t table_at_ = 0;
};

bool is_name(const std::string& text) {
  return !text.empty() && text.find('\0') == std::string::npos;
}

tl::unexpected<Error> refuse(const SharedObject& object, const std::string& why) {
  return fail(ErrorKind::check,
              fmt::format("the library {} cannot be written: {}", quoted(object.soname), why));
}

Done check(const SharedObject& object) {
  constexpr size_t kMaxVersions = 0x7000;  // a version index shares 16 bits with a flag
  constexpr size_t kMaxExports = size_t{1} << 24U;
  if (!has_code(object.machine)) {
    return refuse(object, fmt::format("unsupported {}", machine_name(object.machine)));
  }
  if (!is_name(object.soname)) return refuse(object, "its name is invalid");
  if (object.versions.size() > kMaxVersions || object.exports.size() > kMaxExports) {
    return refuse(object, "it is too large");
  }
  std::set<std::string> versions;
  for (const std::string& version : object.versions) {
    if (!is_name(version)) return refuse(object, "a version has no name");
    if (!versions.insert(version).second) {
      return refuse(object, fmt::format("{} is given twice", quoted(version)));
    }
  }
  std::set<std::pair<std::string, std::string>> symbols;
  for (const Export& symbol : object.exports) {
    if (!is_name(symbol.name)) return refuse(object, "a symbol has no name");
    if (!symbol.version.empty() && !versions.contains(symbol.version)) {
      return refuse(object, fmt::format("it does not define {}", quoted(symbol.version)));
    }
    if (!symbols.emplace(symbol.name, symbol.version).second) {
      return refuse(object, fmt::format("{} is given twice", quoted(symbol.name)));
    }
  }
  return {};
}

}  // namespace

Result<std::string> write_shared_object(const SharedObject& object) {
  TRY_DONE(check(object));
  return Writer(object).write();
}

}  // namespace pinwheel::binary
