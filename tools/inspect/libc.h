#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/platform_tag.h"
#include "pep/tag.h"

namespace pinwheel::inspect {

/// Whether musl's loader answers to that name: "libc.musl-x86_64.so.1".
bool is_musl_itself(std::string_view soname);
/// Whether every system of a musllinux policy has that library.
bool is_musl_system_library(std::string_view soname);

/// The library that shows which C library a file was linked for, "libc.so.6"; empty if it needs
/// nothing of that one.
std::string sign_of_libc(const binary::Elf& elf, pep::Libc libc);

/// The C library that the files need; nullopt if they need none. Kind `check` for files of both.
Result<std::optional<pep::Libc>> libc_of(const std::vector<ElfMember>& files);

/// What the files need of that C library, "`demo/_C.so` needs `libc.so.6` of glibc", for a wheel
/// that is for the other.
std::vector<std::string> needs_of_libc(const std::vector<ElfMember>& files, pep::Libc libc);

}  // namespace pinwheel::inspect
