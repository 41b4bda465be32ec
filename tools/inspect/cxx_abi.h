#pragma once
#include <string_view>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// Which `std::string` the names of imported C++ functions speak of: libstdc++ has two, chosen by
/// `_GLIBCXX_USE_CXX11_ABI`, and a function that takes one cannot be called with the other.
enum class StringAbi { none, cxx11, old, mixed };

/// Which `std::string` occurs in one mangled name (Itanium C++ ABI); never `mixed`.
StringAbi string_abi_of(std::string_view mangled);
/// Over the symbols that the libraries take from others. libstdc++ itself has both strings, so what
/// is taken from it counts only where nothing else tells.
StringAbi string_abi(const std::vector<ElfMember>& libraries);

}  // namespace pinwheel::inspect
