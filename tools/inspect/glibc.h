#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "inspect/platform_tag.h"

namespace pinwheel::inspect {

/// The symbol versions that need a newer C library than `glibc` ("2.31"), each with file, version
/// and library: "`demo/_C.so` needs `GLIBC_2.34` of `libc.so.6`". Empty when `glibc` is not a
/// version.
std::vector<std::string> newer_than_glibc(const std::vector<ElfMember>& files,
                                          std::string_view glibc);

}  // namespace pinwheel::inspect
