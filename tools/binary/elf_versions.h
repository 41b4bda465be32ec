#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/elf_image.h"

namespace pinwheel::binary {

/// A symbol version: with the library that must provide it, or without one when the file defines
/// it.
struct VersionName {
  std::string name;
  std::string library = {};
};

/// Versions by the index in the symbols (GNU symbol versioning).
using VersionNames = std::map<uint16_t, VersionName>;

/// The versions required of other libraries, from the table at `address`; adds their indexes to
/// `names`. Kind `check` when the table is truncated or cyclic.
Result<std::vector<VersionNeed>> read_version_needs(const Image& image, uint64_t address,
                                                    StringTable& strings, VersionNames& names);
/// Adds the versions that the file defines to `names`; kind `check` as above.
Done read_version_definitions(const Image& image, uint64_t address, StringTable& strings,
                              VersionNames& names);

}  // namespace pinwheel::binary
