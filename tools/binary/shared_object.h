#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace pinwheel::binary {

/// A function without arguments that gives a number; callers may pass what they like.
struct ReturnsNumber {
  uint16_t value = 0;

  bool operator==(const ReturnsNumber&) const = default;
};
/// A function that gives the address of a NUL-terminated text.
struct ReturnsText {
  std::string text;

  bool operator==(const ReturnsText&) const = default;
};
/// A variable that begins as zeros.
struct ZeroedData {
  uint64_t size = 0;

  bool operator==(const ZeroedData&) const = default;
};

/// One symbol that a library gives.
struct Export {
  std::string name;
  std::string version = {};  ///< empty: the base of the library
  std::variant<ReturnsNumber, ReturnsText, ZeroedData> body = {};

  bool operator==(const Export&) const = default;
};

/// A library that needs nothing and does next to nothing, as it is to be written.
struct SharedObject {
  uint16_t machine = 62;  ///< as in an ELF header: 62 x86_64, 183 aarch64
  std::string soname;
  std::vector<std::string> versions = {};  ///< all it defines, those without symbols too
  /// Where a name has several versions the first is the default one.
  std::vector<Export> exports = {};

  bool operator==(const SharedObject&) const = default;
};

/// The library as an ELF file (System V gABI, GNU version extensions) with a symbol hash, version
/// definitions and a section table. The same bytes for the same value. Kind `check` for a machine
/// that is neither of the two, a name that is empty or holds a NUL, a version that is not among
/// `versions`, and anything given twice.
Result<std::string> write_shared_object(const SharedObject& object);

}  // namespace pinwheel::binary
