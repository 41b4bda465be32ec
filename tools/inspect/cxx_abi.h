#pragma once
#include <string_view>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// The `std::string` in the names of imported C++ functions: libstdc++ has two, selected by
/// `_GLIBCXX_USE_CXX11_ABI`, and a function that takes one cannot be called with the other.
enum class StringAbi { none, cxx11, old, mixed };

/// The `std::string` in a mangled name (Itanium C++ ABI); never `mixed`.
StringAbi string_abi_of(std::string_view mangled);
/// The same over all symbols that the libraries import. libstdc++ itself has both strings, so
/// imports from it count only when no other import decides.
StringAbi string_abi(const std::vector<ElfMember>& libraries);

}  // namespace pinwheel::inspect
