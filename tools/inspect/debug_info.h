#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf.h"

namespace pinwheel::inspect {

/// The debug information of a library.
struct DebugInfo {
  std::vector<std::string> sections = {};  ///< ".debug_info", in file order
  uint64_t bytes = 0;
};

/// Whether a section of that name is debug information, including the old compressed form.
bool is_debug_section(std::string_view name);
DebugInfo debug_info(const binary::Elf& elf);

}  // namespace pinwheel::inspect
