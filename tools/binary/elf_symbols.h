#pragma once
#include <string>
#include <vector>

#include "binary/elf_image.h"
#include "binary/elf_versions.h"

namespace pinwheel::binary {

/// The tables that symbols refer to.
struct SymbolTables {
  const std::vector<SectionHeader>& sections;
  StringTable& strings;
  const VersionNames& versions;
};

/// Adds the dynamic symbols to `elf.defined` and `elf.undefined`. Kind `check` when the table, or
/// the hash that determines its length, is truncated.
Done read_symbols(const Image& image, const Dynamic& dynamic, const SymbolTables& tables, Elf& elf);

}  // namespace pinwheel::binary
