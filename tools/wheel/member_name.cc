#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

// With two encodings of one name, tools would disagree on the members.
bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character first = first_utf8(text);
    const bool control = first.code < 0x20 || first.code == 0x7f;
    if (first.length == 0 || control || first.code == '\\') return false;
    text.remove_prefix(first.length);
  }
  return true;
}

}  // namespace

bool is_safe_member_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || !is_clean_text(name)) return false;
  if (name.size() > 1 && name[1] == ':') return false;
  std::vector<std::string> parts = split(name, '/');
  if (parts.back().empty()) parts.pop_back();  // a directory ends in a slash
  return std::none_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part.empty() || part == "." || part == "..";
  });
}

}  // namespace pinwheel::wheel
