#pragma once
#include <string>

namespace pinwheel::compat {

/// "at::TensorBase::dim() const" of `_ZNK2at10TensorBase3dimEv`; the name itself when it is not
/// mangled or too long.
std::string demangle(const std::string& mangled);

/// A demangled name for a line of text: one that is longer than 80 bytes is without its arguments,
/// "c10::IndexError::IndexError(...)".
std::string brief_name(const std::string& name);

}  // namespace pinwheel::compat
