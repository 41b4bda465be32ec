#include "inspect/libc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

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
  // musl's loader reserves names such as `libc.so`; Debian's musl-gcc links with that one.
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

// libc_symbols.py writes the table: a line is a name and its releases, sorted by name.
asm(".pushsection .rodata\n"
    ".global pinwheel_libc_symbols\n"
    ".global pinwheel_libc_symbols_end\n"
    ".hidden pinwheel_libc_symbols\n"
    ".hidden pinwheel_libc_symbols_end\n"
    "pinwheel_libc_symbols:\n"
    ".incbin \"" PINWHEEL_LIBC_SYMBOLS
    "\"\n"
    "pinwheel_libc_symbols_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char pinwheel_libc_symbols[];
extern const char pinwheel_libc_symbols_end[];
}

namespace {

/// A line of the table; the fields are text, "-" for none.
struct LibcName {
  std::string_view name;
  std::string_view glibc;
  std::string_view musl;
  std::string_view zlib;
};

std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::vector<LibcName> read_table() {
  std::string_view text(pinwheel_libc_symbols,
                        static_cast<size_t>(pinwheel_libc_symbols_end - pinwheel_libc_symbols));
  std::vector<LibcName> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    LibcName row;
    row.name = take_word(line);
    row.glibc = take_word(line);
    row.musl = take_word(line);
    row.zlib = take_word(line);
    out.push_back(row);
  }
  return out;
}

const LibcName* find_name(std::string_view symbol) {
  static const std::vector<LibcName> kTable = read_table();
  const auto found =
      std::lower_bound(kTable.begin(), kTable.end(), symbol,
                       [](const LibcName& row, std::string_view name) { return row.name < name; });
  return found == kTable.end() || found->name != symbol ? nullptr : &*found;
}

int number_at(std::string_view& text) {
  int number = 0;
  const std::from_chars_result read =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const size_t length = static_cast<size_t>(read.ptr - text.data());
  text.remove_prefix(std::min(length + 1, text.size()));
  return number;
}

}  // namespace

std::string to_string(const LibcRelease& release) {
  if (release.libc == pep::Libc::glibc) return fmt::format("glibc 2.{}", release.minor);
  return fmt::format("musl 1.{}.{}", release.minor, release.patch);
}

std::optional<LibcRelease> exported_since(std::string_view symbol, pep::Libc libc) {
  const LibcName* const row = find_name(symbol);
  if (row == nullptr) return std::nullopt;
  std::string_view text = libc == pep::Libc::glibc ? row->glibc : row->musl;
  if (text == "-") return std::nullopt;
  LibcRelease out{libc};
  if (libc == pep::Libc::musl) number_at(text);  // the 1 of "1.2.3"
  out.minor = number_at(text);
  out.patch = libc == pep::Libc::musl ? number_at(text) : 0;
  return out;
}

bool is_exported_by_zlib(std::string_view symbol) {
  const LibcName* const row = find_name(symbol);
  return row != nullptr && row->zlib == "z";
}

}  // namespace pinwheel::inspect
