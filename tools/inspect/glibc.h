#pragma once
#include <map>
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

/// The newest version of each family that the files need: {"GLIBC": "2.28", "GLIBCXX": "3.4.24"}.
/// The families are those in manylinux policies; names that are not numbers are ignored.
std::map<std::string, std::string> newest_versions(const std::vector<ElfMember>& files);

}  // namespace pinwheel::inspect
