#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "pep/tag.h"

namespace pinwheel::inspect {

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
