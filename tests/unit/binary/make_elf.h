#pragma once
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace pinwheel::binary {

/// A 64-bit little-endian shared object with one section of that name and contents, no segments.
inline std::string make_elf(const std::string& section, const std::string& contents) {
  const std::string names = std::string(1, '\0') + section + '\0' + ".shstrtab" + '\0';
  const uint64_t contents_at = 64;
  const uint64_t names_at = contents_at + contents.size();
  const uint64_t table_at = names_at + names.size();
  std::string out(
      "\x7f"
      "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
      16);
  append_le<uint16_t>(out, 3);
  append_le<uint16_t>(out, 62);
  append_le<uint32_t>(out, 1);
  append_le<uint64_t>(out, 0);  // entry
  append_le<uint64_t>(out, 0);  // program headers
  append_le<uint64_t>(out, table_at);
  append_le<uint32_t>(out, 0);
  for (const uint16_t number : {64, 56, 0, 64, 3, 2}) append_le<uint16_t>(out, number);
  out += contents + names;
  const auto header = [&](uint32_t name, uint32_t type, uint64_t offset, uint64_t size) {
    append_le<uint32_t>(out, name);
    append_le<uint32_t>(out, type);
    append_le<uint64_t>(out, 0);
    append_le<uint64_t>(out, 0);
    append_le<uint64_t>(out, offset);
    append_le<uint64_t>(out, size);
    out.append(24, '\0');
  };
  header(0, 0, 0, 0);
  header(1, 1, contents_at, contents.size());
  header(static_cast<uint32_t>(section.size() + 2), 3, names_at, names.size());
  return out;
}

}  // namespace pinwheel::binary
