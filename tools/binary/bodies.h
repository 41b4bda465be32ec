#pragma once
#include <cstdint>
#include <string>

#include "binary/shared_object.h"

namespace pinwheel::binary {

/// Whether functions can be written for the machine of an ELF header.
bool has_code(uint16_t machine);

enum class Lies { in_code, zeroed };

/// Where a symbol lies: its offset in the code, or in what begins as zeros.
struct Place {
  Lies lies = Lies::in_code;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Puts the bodies of exported symbols one behind the other.
class Bodies {
 public:
  /// There must be code for the machine.
  explicit Bodies(uint16_t machine) : machine_(machine) {}

  Place add(const Export& symbol);
  const std::string& code() const { return code_; }
  /// Bytes of data that begin as zeros.
  uint64_t zeroed() const { return zeroed_; }

 private:
  uint16_t machine_;
  std::string code_;
  uint64_t zeroed_ = 0;
};

}  // namespace pinwheel::binary
