#include "inspect/debug_info.h"

namespace pinwheel::inspect {

bool is_debug_section(std::string_view name) {
  return name.starts_with(".debug_") || name.starts_with(".zdebug_");
}

DebugInfo debug_info(const binary::Elf& elf) {
  DebugInfo out;
  for (const binary::Section& section : elf.sections) {
    if (!is_debug_section(section.name)) continue;
    out.sections.push_back(section.name);
    out.bytes += section.size;
  }
  return out;
}

}  // namespace pinwheel::inspect
