#pragma once
#include "base/result.h"
#include "binary/elf.h"
#include "binary/x86_code.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// The facts in the code of a library that its symbols do not show.
struct CodeUse {
  X86Counts x86 = {};         ///< of its sections of code; zeros for other machines
  bool cuda_runtime = false;  ///< CUDA's runtime is linked into it statically
};

/// Reads the code, at most its first 32 MiB, and of a library for CUDA the constants. Kind `check`
/// when a section is not inside the file.
Result<CodeUse> code_use(const Elf& elf, const ports::ByteSource& source);

}  // namespace pinwheel::binary
