#include "inspect/libc.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

constexpr std::array<std::string_view, 8> kOfGlibc = {
    "libc.so.6",  "libm.so.6",    "libpthread.so.0", "libdl.so.2",
    "librt.so.1", "libutil.so.1", "libanl.so.1",     "libmvec.so.1"};

bool is_glibc_itself(std::string_view soname) {
  return soname.starts_with("ld-linux") ||
         std::find(kOfGlibc.begin(), kOfGlibc.end(), soname) != kOfGlibc.end();
}

bool has_version_of_glibc(const binary::VersionNeed& need) {
  return std::any_of(need.versions.begin(), need.versions.end(),
                     [](const std::string& version) { return version.starts_with("GLIBC_"); });
}

std::string name_of(pep::Libc libc) {
  return libc == pep::Libc::musl ? "musl" : "glibc";
}

}  // namespace

bool is_musl_itself(std::string_view soname) {
  // Its loader takes names such as `libc.so` for itself; Debian's musl-gcc links with that one.
  return soname == "libc.so" || soname.starts_with("libc.musl-") || soname.starts_with("ld-musl-");
}

bool is_musl_system_library(std::string_view soname) {
  return is_musl_itself(soname) || soname == "libz.so.1";
}

std::string sign_of_libc(const binary::Elf& elf, pep::Libc libc) {
  for (const std::string& soname : elf.needed) {
    if (libc == pep::Libc::musl ? is_musl_itself(soname) : is_glibc_itself(soname)) return soname;
  }
  if (libc == pep::Libc::musl) return {};
  const auto need =
      std::find_if(elf.version_needs.begin(), elf.version_needs.end(), has_version_of_glibc);
  return need == elf.version_needs.end() ? std::string() : need->library;
}

std::vector<std::string> needs_of_libc(const std::vector<ElfMember>& files, pep::Libc libc) {
  std::vector<std::string> out;
  for (const ElfMember& file : files) {
    const std::string sign = sign_of_libc(file.elf, libc);
    if (sign.empty()) continue;
    out.push_back(quoted(file.name) + " needs " + quoted(sign) + " of " + name_of(libc));
  }
  return out;
}

Result<std::optional<pep::Libc>> libc_of(const std::vector<ElfMember>& files) {
  const std::vector<std::string> musl = needs_of_libc(files, pep::Libc::musl);
  if (musl.empty()) {
    const bool glibc = std::any_of(files.begin(), files.end(), [](const ElfMember& file) {
      return !sign_of_libc(file.elf, pep::Libc::glibc).empty();
    });
    return glibc ? std::optional(pep::Libc::glibc) : std::nullopt;
  }
  const std::vector<std::string> glibc = needs_of_libc(files, pep::Libc::glibc);
  if (glibc.empty()) return std::optional(pep::Libc::musl);
  return fail(ErrorKind::check, musl.front() + ", " + glibc.front() + ": no system has both",
              "compile all of the wheel, and its libraries, on one system");
}

}  // namespace pinwheel::inspect
