#include "inspect/cxx_abi.h"

#include <cctype>

#include "base/text.h"

// The old string is the substitution `Ss`, the new one is in the namespace `__cxx11` or has the tag
// `B5cxx11`. `Ss` counts only between the components of a name: the letters may also occur inside
// an identifier, so identifiers, substitutions and literals are skipped.
namespace pinwheel::inspect {
namespace {

/// The end of an identifier that is preceded by its length, "3std"; the end of the text when it is
/// truncated.
size_t after_identifier(std::string_view text, size_t at) {
  size_t length = 0;
  while (at < text.size() && is_digit(text[at]) && length < text.size()) {
    length = length * 10 + static_cast<size_t>(text[at++] - '0');
  }
  return length > text.size() - at ? text.size() : at + length;
}

size_t after_character(std::string_view text, size_t at, char end) {
  const size_t found = text.find(end, at);
  return found == std::string_view::npos ? text.size() : found + 1;
}

/// A substitution (`S0_`), a template parameter (`T0_`) or the length of an array (`A4_`).
bool names_earlier_part(char c, char next) {
  if (is_digit(next)) return c == 'S' || c == 'T' || c == 'A';
  return c == 'S' && std::isupper(static_cast<unsigned char>(next)) != 0;
}

bool has_old_string(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == 'S' && next == 's') return true;
    if (is_digit(c)) {
      at = after_identifier(text, at);
    } else if (names_earlier_part(c, next)) {
      at = after_character(text, at, '_');
    } else if (c == 'S' && next != '\0') {
      at += 2;
    } else if (c == 'L' && std::islower(static_cast<unsigned char>(next)) != 0) {
      at = after_character(text, at, 'E');  // a literal: its type, its digits
    } else {
      ++at;
    }
  }
  return false;
}

StringAbi merge(StringAbi left, StringAbi right) {
  if (left == StringAbi::none || left == right) return right;
  return right == StringAbi::none ? left : StringAbi::mixed;
}

}  // namespace

StringAbi string_abi_of(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return StringAbi::none;
  if (mangled.find("__cxx11") != std::string_view::npos ||
      mangled.find("B5cxx11") != std::string_view::npos) {
    return StringAbi::cxx11;
  }
  return has_old_string(mangled.substr(2)) ? StringAbi::old : StringAbi::none;
}

StringAbi string_abi(const std::vector<ElfMember>& libraries) {
  StringAbi others = StringAbi::none;
  StringAbi standard = StringAbi::none;
  for (const ElfMember& library : libraries) {
    for (const binary::Symbol& symbol : library.elf.undefined) {
      StringAbi& target = symbol.library.starts_with("libstdc++") ? standard : others;
      target = merge(target, string_abi_of(symbol.name));
    }
  }
  return others == StringAbi::none ? standard : others;
}

}  // namespace pinwheel::inspect
