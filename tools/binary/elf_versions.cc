#include "binary/elf_versions.h"

#include <algorithm>

#include "base/bytes.h"

namespace pinwheel::binary {
namespace {

// Twice the size of the 65536 versions that symbols can refer to; the rest of the segment is not
// read.
constexpr uint64_t kMaxVersionTable = uint64_t{4} << 20U;

}  // namespace

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

}  // namespace pinwheel::binary
