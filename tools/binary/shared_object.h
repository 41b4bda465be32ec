#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace pinwheel::binary {

/// A function that returns a number and ignores any arguments.
struct ReturnsNumber {
  uint16_t value = 0;

  bool operator==(const ReturnsNumber&) const = default;
};
/// A function that returns the address of a NUL-terminated string.
struct ReturnsText {
  std::string text;

  bool operator==(const ReturnsText&) const = default;
};
/// A zero-initialized variable.
struct ZeroedData {
  uint64_t size = 0;

  bool operator==(const ZeroedData&) const = default;
};

/// A symbol that a library exports.
struct Export {
  std::string name;
  std::string version = {};  ///< empty: the base version
  std::variant<ReturnsNumber, ReturnsText, ZeroedData> body = {};

  bool operator==(const Export&) const = default;
};

/// The description of a stub library without dependencies.
struct SharedObject {
  uint16_t machine = 62;  ///< as in an ELF header: 62 x86_64, 183 aarch64
  std::string soname;
  std::vector<std::string> versions =
      {};  ///< all versions it defines, including those without symbols
  /// When a name has several versions, the first is the default.
  std::vector<Export> exports = {};

  bool operator==(const SharedObject&) const = default;
};

/// The library as an ELF file (System V gABI, GNU version extensions) with a symbol hash, version
/// definitions and a section table. Deterministic: equal values give equal bytes. Kind `check` for
/// an unsupported machine, a name that is empty or contains a NUL, a version that is not in
/// `versions`, and duplicates.
Result<std::string> write_shared_object(const SharedObject& object);

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
