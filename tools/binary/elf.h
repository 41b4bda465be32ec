#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// The symbol versions that a library requires of another: {"libc.so.6", {"GLIBC_2.14",
/// "GLIBC_2.34"}}.
struct VersionNeed {
  std::string library;
  std::vector<std::string> versions;

  bool operator==(const VersionNeed&) const = default;
};

enum class Binding { local, global, weak, other };
enum class SymbolKind { unknown, data, function, thread_local_data, other };

/// One symbol of the dynamic symbol table.
struct Symbol {
  std::string name;
  std::string version = {};  ///< "GLIBC_2.34"; empty when it has none
  Binding binding = Binding::global;
  SymbolKind kind = SymbolKind::unknown;  ///< linkers omit it for some undefined symbols
  std::string library =
      {};  ///< for an undefined symbol with a version: the library that defines the version

  bool operator==(const Symbol&) const = default;
};

struct Section {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;  ///< bytes in the file, 0 for .bss
};

enum class Relro { none, partial, full };

/// The contents of a 64-bit little-endian ELF file (System V gABI, GNU version extensions).
struct Elf {
  uint16_t machine = 0;  ///< 62 x86_64, 183 aarch64
  uint16_t type = 0;     ///< 2 executable, 3 shared object
  std::vector<std::string> needed = {};
  std::string soname = {};
  std::string rpath = {};
  std::string runpath = {};
  std::vector<VersionNeed> version_needs = {};
  std::vector<Symbol> undefined = {};
  std::vector<Symbol> defined = {};
  std::vector<Section> sections = {};  ///< empty when the table was stripped
  bool executable_stack = false;       ///< requested, or implied by a missing PT_GNU_STACK header
  bool text_relocations = false;
  bool packed_relocations = false;  ///< relative relocations in a table of their own (DT_RELR)
  Relro relro = Relro::none;

  /// The section of that name, or null.
  const Section* section(std::string_view name) const;
};

/// Whether the bytes begin with the ELF magic, of any class.
bool is_elf(std::string_view first_bytes);
/// "x86_64", "aarch64", or "machine 40".
std::string machine_name(uint16_t machine);

/// Kind `check` for anything but a well-formed 64-bit little-endian file. Offsets and counts are
/// checked against the size of the file before use; where the section table disagrees with the
/// program headers, the program headers apply, as for the loader.
Result<Elf> read_elf(const ports::ByteSource& source);

}  // namespace pinwheel::binary
