#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/platform_tag.h"
#include "pep/tag.h"

namespace pinwheel::inspect {

/// Whether musl's loader provides that name: "libc.musl-x86_64.so.1".
bool is_musl_itself(std::string_view soname);
/// Whether every system of a musllinux policy has that library.
bool is_musl_system_library(std::string_view soname);

/// The library that shows which C library a file was linked for, "libc.so.6"; empty if the file
/// needs none of that C library.
std::string sign_of_libc(const binary::Elf& elf, pep::Libc libc);

/// The C library that the files need; nullopt if they need none. Kind `check` for files of both.
Result<std::optional<pep::Libc>> libc_of(const std::vector<ElfMember>& files);

/// The files' dependencies on that C library, "`demo/_C.so` needs `libc.so.6` of glibc", for a
/// wheel that is for the other one.
std::vector<std::string> needs_of_libc(const std::vector<ElfMember>& files, pep::Libc libc);

/// A release of a C library: glibc 2.`minor`, or musl 1.`minor`.`patch`.
struct LibcRelease {
  pep::Libc libc = pep::Libc::glibc;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const LibcRelease&) const = default;
};
/// "glibc 2.38", "musl 1.2.3".
std::string to_string(const LibcRelease& release);

/// The first release of the C library (with libm, libdl, libpthread and the like) that exports the
/// name, on x86_64 or aarch64; nullopt if none does. Releases before the first of the table, glibc
/// 2.2 and musl 1.1.24, count as that one.
std::optional<LibcRelease> exported_since(std::string_view symbol, pep::Libc libc);
/// Whether zlib, which every system of the policies has, exports the name.
bool is_exported_by_zlib(std::string_view symbol);

}  // namespace pinwheel::inspect
