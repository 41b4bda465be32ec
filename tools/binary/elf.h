#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// The versions that a library wants of another: {"libc.so.6", {"GLIBC_2.14", "GLIBC_2.34"}}.
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
  SymbolKind kind = SymbolKind::unknown;  ///< linkers leave it out of some undefined symbols
  std::string library = {};  ///< of an undefined symbol with a version: whose version it is

  bool operator==(const Symbol&) const = default;
};

struct Section {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;  ///< bytes in the file, 0 for .bss
};

enum class Relro { none, partial, full };

/// What a 64-bit little-endian ELF file says about itself (System V gABI, GNU version extensions).
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
  bool executable_stack = false;       ///< asked for, or got for want of a header that declines it
  bool text_relocations = false;
  Relro relro = Relro::none;

  /// The section of that name, or null.
  const Section* section(std::string_view name) const;
};

/// Whether the bytes begin as an ELF file does, of any class.
bool is_elf(std::string_view first_bytes);
/// "x86_64", "aarch64", or "machine 40".
std::string machine_name(uint16_t machine);

/// Kind `check` for anything but a well-formed 64-bit little-endian file. Offsets and counts are
/// compared with the size of the file before they are used, and the loader's view (program
/// headers) rules where the section table disagrees.
Result<Elf> read_elf(const ports::ByteSource& source);

}  // namespace pinwheel::binary
