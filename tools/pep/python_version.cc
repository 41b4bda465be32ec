#include "pep/python_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::pep {
namespace {

constexpr int kFirstFreeThreaded = 13;

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
         (text.size() == 1 || text[0] != '0') && parse_integer(text).has_value();
}

/// "3.12" for "cp312", "py3.12", "python 3.12" and "312".
std::string with_dot(std::string_view text) {
  std::string version = to_lower(text);
  version.erase(0, std::min(version.find_first_of("0123456789"), version.size()));
  const bool dotted = version.find('.') != std::string::npos;
  if (!dotted && version.size() > 1 && version[0] == '3') version.insert(1, ".");
  return version;
}

std::vector<std::string> usual_pythons() {
  std::vector<std::string> pythons;
  for (int minor = 15; minor >= 8; --minor) {
    pythons.push_back(fmt::format("3.{}", minor));
    if (minor >= kFirstFreeThreaded) pythons.push_back(fmt::format("3.{}t", minor));
  }
  return pythons;
}

}  // namespace

bool is_python_version(std::string_view text) {
  const bool free_threaded = text.ends_with('t');
  if (free_threaded) text.remove_suffix(1);
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() < 2 || parts.size() > 3 || parts[0] != "3") return false;
  if (!std::all_of(parts.begin() + 1, parts.end(), is_number)) return false;
  return !free_threaded || parse_integer(parts[1]).value_or(0) >= kFirstFreeThreaded;
}

std::string python_version_hint(std::string_view text) {
  const std::string version = with_dot(text);
  if (is_python_version(version)) return fmt::format("did you mean {}?", quoted(version));
  if (version.ends_with('t') && is_python_version(version.substr(0, version.size() - 1))) {
    return "Pythons without the global lock begin with `3.13t`";
  }
  const bool has_minor = std::count_if(version.begin(), version.end(), is_digit) > 1;
  const auto near = has_minor ? nearest(version, usual_pythons()) : std::nullopt;
  if (near) return fmt::format("did you mean {}?", quoted(*near));
  return "write it as `3.12`, or `3.13t` without the global lock";
}

}  // namespace pinwheel::pep
