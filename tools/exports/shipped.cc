#include "exports/shipped.h"

// A compiler takes minutes for an array of megabytes; the assembler just copies the file.
asm(".pushsection .rodata\n"
    ".global pinwheel_torch_exports\n"
    ".global pinwheel_torch_exports_end\n"
    ".hidden pinwheel_torch_exports\n"
    ".hidden pinwheel_torch_exports_end\n"
    ".balign 16\n"
    "pinwheel_torch_exports:\n"
    ".incbin \"" PINWHEEL_TORCH_EXPORTS
    "\"\n"
    "pinwheel_torch_exports_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char pinwheel_torch_exports[];
extern const char pinwheel_torch_exports_end[];
}

namespace pinwheel::exports {

std::string_view shipped_table() {
  return {pinwheel_torch_exports,
          static_cast<size_t>(pinwheel_torch_exports_end - pinwheel_torch_exports)};
}

}  // namespace pinwheel::exports
