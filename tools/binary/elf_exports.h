#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// The exported interface of a shared library.
struct ElfExports {
  std::string soname = {};               ///< empty when it has none
  std::vector<std::string> needed = {};  ///< in the loader's search order
  /// Defined symbols: global, weak or unique, of default or protected visibility; in table order.
  std::vector<std::string> names = {};
};

/// Reads only the dynamic tables, through the program headers as the loader does, so that a remote
/// source fetches little. Every name is checked against its hash in `.gnu.hash`, which also
/// determines their number: wrongly guessed bytes are detected. Kind `check` for anything but a
/// well-formed 64-bit little-endian ELF file.
Result<ElfExports> read_exports(const ports::ByteSource& source);

}  // namespace pinwheel::binary
