#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace pinwheel::binary {

struct CubinSection {
  std::string name;
  uint32_t type = 1;
  std::string contents = {};
  uint64_t size_in_memory = 0;  ///< of a section without contents
  uint32_t info = 0;
  uint64_t flags = 0;
};

/// A symbol: its name, and whether it is a kernel instead of a function.
struct CubinSymbol {
  std::string name;
  bool is_kernel = true;
};

/// An attribute whose data follows its header.
inline std::string attribute(uint8_t id, const std::vector<uint32_t>& data) {
  std::string out;
  append_le<uint8_t>(out, 4);
  append_le<uint8_t>(out, id);
  append_le<uint16_t>(out, static_cast<uint16_t>(data.size() * 4));
  for (const uint32_t word : data) append_le<uint32_t>(out, word);
  return out;
}

/// An attribute with its value in its header.
inline std::string short_attribute(uint8_t id, uint16_t value) {
  std::string out;
  append_le<uint8_t>(out, 3);
  append_le<uint8_t>(out, id);
  append_le<uint16_t>(out, value);
  return out;
}

/// A cubin with these symbols, numbered from 1, and these sections.
inline std::string make_cubin(const std::vector<CubinSymbol>& symbols,
                              std::vector<CubinSection> sections, uint16_t machine = 190) {
  std::string names(1, '\0');
  std::string table(24, '\0');
  for (const CubinSymbol& symbol : symbols) {
    append_le<uint32_t>(table, static_cast<uint32_t>(names.size()));
    append_le<uint8_t>(table, 0x12);  // a global function
    append_le<uint8_t>(table, symbol.is_kernel ? 0x10 : 0);
    table.append(2 + 8 + 8, '\0');
    names += symbol.name + '\0';
  }
  sections.insert(sections.begin(), {{"", 0},
                                     {".strtab", 3, std::move(names)},
                                     {".symtab", 2, std::move(table)},
                                     {".shstrtab", 3}});
  std::string section_names;
  std::vector<uint32_t> name_at;
  for (const CubinSection& section : sections) {
    name_at.push_back(static_cast<uint32_t>(section_names.size()));
    section_names += section.name + '\0';
  }
  sections[3].contents = section_names;
  std::string body;
  std::string headers;
  for (size_t i = 0; i < sections.size(); ++i) {
    const CubinSection& section = sections[i];
    append_le<uint32_t>(headers, name_at[i]);
    append_le<uint32_t>(headers, section.contents.empty() && i > 3 ? 8 : section.type);
    append_le<uint64_t>(headers, section.flags);
    append_le<uint64_t>(headers, 0);
    append_le<uint64_t>(headers, 64 + body.size());
    append_le<uint64_t>(
        headers, section.contents.empty() ? section.size_in_memory : section.contents.size());
    append_le<uint32_t>(headers, i == 2 ? 1 : 0);
    append_le<uint32_t>(headers, section.info);
    append_le<uint64_t>(headers, 1);
    append_le<uint64_t>(headers, 0);
    body += section.contents;
  }
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0",
      16);
  append_le<uint16_t>(out, 2);
  append_le<uint16_t>(out, machine);
  append_le<uint32_t>(out, 1);
  append_le<uint64_t>(out, 0);
  append_le<uint64_t>(out, 0);
  append_le<uint64_t>(out, 64 + body.size());
  append_le<uint32_t>(out, 0x6005a04);
  for (const size_t number :
       {size_t{64}, size_t{56}, size_t{0}, size_t{64}, sections.size(), size_t{3}}) {
    append_le<uint16_t>(out, static_cast<uint16_t>(number));
  }
  return out + body + headers;
}

}  // namespace pinwheel::binary
