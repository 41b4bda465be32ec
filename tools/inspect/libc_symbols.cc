#include "inspect/libc_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"

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

namespace pinwheel::inspect {
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
