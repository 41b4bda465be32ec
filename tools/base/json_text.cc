#include "base/json_text.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace pinwheel {
namespace {

/// Looks at every character, which is faster than to stop at the first one.
bool is_printable_ascii(std::string_view text) {
  bool other = false;
  for (const char c : text) other |= c < ' ' || c > '~';
  return !other;
}

}  // namespace

void append_json_text(std::string_view text, std::string& json) {
  if (!is_printable_ascii(text)) {
    json += nlohmann::json(text).dump();
    return;
  }
  size_t at = json.size();
  // Room for a text of which every character is escaped.
  json.resize(at + 2 * text.size() + 2);
  json[at++] = '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json[at++] = '\\';
    json[at++] = c;
  }
  json[at++] = '"';
  json.resize(at);
}

void append_json_list(const std::vector<std::string>& texts, std::string& json) {
  json += '[';
  bool first = true;
  for (const std::string& text : texts) {
    if (!std::exchange(first, false)) json += ',';
    append_json_text(text, json);
  }
  json += ']';
}

}  // namespace pinwheel
