#pragma once
#include <string>

namespace pinwheel::compat {

/// "at::TensorBase::dim() const" of `_ZNK2at10TensorBase3dimEv`; the name itself when it is not
/// mangled or too long.
std::string demangle(const std::string& mangled);

}  // namespace pinwheel::compat
