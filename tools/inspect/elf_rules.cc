#include <fmt/format.h>

#include "base/text.h"
#include "inspect/debug_info.h"
#include "inspect/rule_functions.h"

namespace pinwheel::inspect {

Findings judge_executable_stack(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const ElfMember& library : facts.libraries) {
    if (!library.elf.executable_stack) continue;
    out.push_back(
        {"", library.name,
         "requests an executable stack, and glibc 2.41 and newer refuse to load it", "",
         "end assembly files with `.section .note.GNU-stack,\"\",@progbits`, or link with "
         "`-Wl,-z,noexecstack`"});
  }
  return out;
}

Findings judge_text_relocations(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const ElfMember& library : facts.libraries) {
    if (!library.elf.text_relocations) continue;
    out.push_back(
        {"", library.name, "has text relocations, which systems with SELinux refuse to load", "",
         "compile with `-fPIC`, and link with `-Wl,-z,text` to find the objects that are not"});
  }
  return out;
}

Findings judge_relro(const WheelFacts& facts, const Expectations& /*expected*/) {
  constexpr uint16_t kShared = 3;
  Findings out;
  for (const ElfMember& library : facts.libraries) {
    const bool loaded = !library.elf.needed.empty() || !library.elf.defined.empty();
    if (library.elf.type != kShared || !loaded || library.elf.relro != binary::Relro::none)
      continue;
    out.push_back({"", library.name, "has no RELRO, so its relocated data stays writable", "",
                   "link with `-Wl,-z,relro,-z,now`"});
  }
  return out;
}

Findings judge_debug_info(const WheelFacts& facts, const Expectations& /*expected*/) {
  Findings out;
  for (const ElfMember& library : facts.libraries) {
    const DebugInfo debug = debug_info(library.elf);
    if (debug.bytes == 0) continue;
    out.push_back(
        {"", library.name,
         fmt::format("has {} of uncompressed debug information", format_bytes(debug.bytes)),
         join(debug.sections, ", "),
         "link with `-s`, or run `strip --strip-debug` before the wheel is packed"});
  }
  return out;
}

}  // namespace pinwheel::inspect
