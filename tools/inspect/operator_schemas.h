#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/elf.h"
#include "ports/byte_source.h"

namespace pinwheel::inspect {

/// Whether a text is the schema of an operator of torch, with its argument and return types as in
/// native_functions.yaml: "demo::scale.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)".
bool is_operator_schema(std::string_view text);

/// The schemas among the constants of a library, sorted, each once: the strings that
/// `TORCH_LIBRARY` passes to `m.def`. The namespace is missing if it is that of the block. An
/// operator whose schema torch infers from a function, and one that Python registers, has no such
/// string. Kind `check` when a section is not inside the file.
Result<std::vector<std::string>> read_operators(const binary::Elf& elf,
                                                const ports::ByteSource& source);

}  // namespace pinwheel::inspect
