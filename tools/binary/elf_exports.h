#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// What a shared library offers to others.
struct ElfExports {
  std::string soname = {};               ///< empty when it has none
  std::vector<std::string> needed = {};  ///< in the order in which the loader looks
  /// Defined, global, weak or unique, of default or protected visibility; in the table's order.
  std::vector<std::string> names = {};
};

/// Reads the dynamic tables alone, through the program headers as the loader does, so that a source
/// that fetches what is asked of it fetches little. Every name is compared with its hash in
/// `.gnu.hash`, which also says how many there are: bytes that were guessed wrongly do not pass.
/// Kind `check` for what is no 64-bit little-endian ELF file, or a damaged one.
Result<ElfExports> read_exports(const ports::ByteSource& source);

}  // namespace pinwheel::binary
