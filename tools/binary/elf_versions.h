#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/elf_image.h"

namespace pinwheel::binary {

/// A version and whose it is: the name of the library for one that is wanted, empty for the file's
/// own.
struct VersionName {
  std::string name;
  std::string library = {};
};

/// Versions by the number that the symbols carry (GNU symbol versioning).
using VersionNames = std::map<uint16_t, VersionName>;

/// The versions wanted of other libraries, from the table at `address`; adds their numbers to
/// `names`. Kind `check` when the table is cut or runs in a circle.
Result<std::vector<VersionNeed>> read_version_needs(const Image& image, uint64_t address,
                                                    const std::string& strings,
                                                    VersionNames& names);
/// Adds the versions that the file defines to `names`; kind `check` as above.
Done read_version_definitions(const Image& image, uint64_t address, const std::string& strings,
                              VersionNames& names);

}  // namespace pinwheel::binary
