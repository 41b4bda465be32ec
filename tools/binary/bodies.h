#pragma once
#include <cstdint>
#include <string>

#include "binary/shared_object.h"

namespace pinwheel::binary {

/// Whether code can be generated for the machine type of an ELF header.
bool has_code(uint16_t machine);

enum class SymbolArea { code, zeroed };

/// The place of a symbol: its offset in the code, or in the zero-initialized data.
struct SymbolPlace {
  SymbolArea area = SymbolArea::code;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Generates the bodies of exported symbols, one after another.
class Bodies {
 public:
  /// Requires `has_code(machine)`.
  explicit Bodies(uint16_t machine) : machine_(machine) {}

  SymbolPlace add(const Export& symbol);
  const std::string& code() const { return code_; }
  /// Bytes of zero-initialized data (.bss).
  uint64_t zeroed() const { return zeroed_; }

 private:
  uint16_t machine_;
  std::string code_;
  uint64_t zeroed_ = 0;
};

}  // namespace pinwheel::binary
