#include "inspect/operator_schemas.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "binary/window.h"

namespace pinwheel::inspect {
namespace {

constexpr size_t kLongestSchema = 4000;
constexpr size_t kMostSchemas = 100'000;
constexpr uint64_t kMostConstants = uint64_t{512} << 20U;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trimmed_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

/// "ns::name.overload", each part a word.
bool is_operator_name(std::string_view name) {
  const size_t colons = name.find("::");
  if (colons != std::string_view::npos) {
    if (colons == 0) return false;
    const std::string_view space = name.substr(0, colons);
    if (!std::all_of(space.begin(), space.end(), is_word)) return false;
    name.remove_prefix(colons + 2);
  }
  const size_t dot = name.find('.');
  const std::string_view base = name.substr(0, dot);
  const std::string_view overload =
      dot == std::string_view::npos ? std::string_view("x") : name.substr(dot + 1);
  const auto is_name = [](std::string_view part) {
    return !part.empty() && (part[0] < '0' || part[0] > '9') &&
           std::all_of(part.begin(), part.end(), is_word);
  };
  return is_name(base) && is_name(overload);
}

/// Whether a type of torch's schema language begins the text.
bool begins_with_type(std::string_view text) {
  constexpr std::array<std::string_view, 26> kTypes = {"Tensor",      "Scalar",
                                                       "SymInt",      "SymFloat",
                                                       "SymBool",     "int",
                                                       "float",       "bool",
                                                       "str",         "complex",
                                                       "Device",      "Layout",
                                                       "Stream",      "Generator",
                                                       "Storage",     "ScalarType",
                                                       "Dimname",     "MemoryFormat",
                                                       "Dict",        "Future",
                                                       "RRef",        "Any",
                                                       "NoneType",    "QScheme",
                                                       "DeviceIndex", "ConstQuantizerPtr"};
  if (text.starts_with("__torch__.")) return true;
  const size_t end =
      static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin());
  return std::find(kTypes.begin(), kTypes.end(), text.substr(0, end)) != kTypes.end();
}

/// The length of the group that begins with "("; npos if it is not closed.
size_t group_length(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

/// Whether every part of a list between the commas outside of brackets passes.
template <class Passes>
bool each_part(std::string_view list, const Passes& passes) {
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    if (!passes(trimmed_blanks(list.substr(from, i - from)))) return false;
    from = i + 1;
  }
  return depth == 0;
}

bool is_argument(std::string_view text) {
  if (text == "*") return true;
  // A type, and a name after it.
  return begins_with_type(text) && text.find(' ') != std::string_view::npos;
}

bool is_return_type(std::string_view text) {
  if (!text.starts_with('(')) return begins_with_type(text);
  if (group_length(text) != text.size()) return false;
  const std::string_view list = trimmed_blanks(text.substr(1, text.size() - 2));
  return list.empty() || list == "..." || each_part(list, begins_with_type);
}

/// The section has constants, strings among them.
bool has_constants(const binary::Section& section) {
  return section.size > 0 && (section.name.starts_with(".rodata") || section.name == ".data" ||
                              section.name == ".data.rel.ro");
}

/// Adds the schemas of one section.
Done read_section(binary::Window& window, std::set<std::string>& out) {
  constexpr uint64_t kPiece = 60000;
  std::string text;
  for (uint64_t at = 0; at < window.size(); at += kPiece) {
    TRY(const std::string_view piece, window.at(at, std::min(kPiece, window.size() - at)));
    // Hot loop: runs over every constant of the library.
    for (size_t from = 0; from < piece.size();) {
      const size_t end = std::min(piece.find('\0', from), piece.size());
      if (text.size() <= kLongestSchema) text += piece.substr(from, end - from);
      if (end == piece.size()) break;
      if (out.size() < kMostSchemas && is_operator_schema(text)) {
        out.emplace(trimmed_blanks(text));
      }
      text.clear();
      from = end + 1;
    }
  }
  return {};
}

}  // namespace

bool is_operator_schema(std::string_view text) {
  if (text.size() > kLongestSchema) return false;
  text = trimmed_blanks(text);
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !is_operator_name(text.substr(0, open))) return false;
  const size_t length = group_length(text.substr(open));
  if (length == std::string_view::npos) return false;
  const std::string_view arguments = trimmed_blanks(text.substr(open + 1, length - 2));
  if (!arguments.empty() && !each_part(arguments, is_argument)) return false;
  const std::string_view rest = trimmed_blanks(text.substr(open + length));
  return rest.starts_with("->") && is_return_type(trimmed_blanks(rest.substr(2)));
}

Result<std::vector<std::string>> read_operators(const binary::Elf& elf,
                                                const ports::ByteSource& source) {
  std::set<std::string> found;
  uint64_t left = std::min(kMostConstants, source.size());
  for (const binary::Section& section : elf.sections) {
    if (!has_constants(section)) continue;
    if (section.offset > source.size() || section.size > source.size() - section.offset) {
      return fail(ErrorKind::check, "a section of constants extends past the end of the file");
    }
    // Sections may overlap.
    const uint64_t length = std::min(section.size, left);
    left -= length;
    binary::Window window(source, section.offset, length);
    TRY_DONE(read_section(window, found));
  }
  return std::vector<std::string>(found.begin(), found.end());
}

}  // namespace pinwheel::inspect
