#include "ci/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"

namespace pinwheel::ci {
namespace {

/// The value with the indentation of its line before all but its first line.
std::string indented(std::string_view value, std::string_view line) {
  const std::string_view spaces =
      line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
  while (value.ends_with('\n')) value.remove_suffix(1);
  std::string text;
  for (const std::string& each : split(value, '\n')) {
    if (!text.empty()) text += "\n" + (each.empty() ? std::string() : std::string(spaces));
    text += each;
  }
  return text;
}

/// A line with its places filled; nullopt: the line is dropped. Values are not searched for places.
std::optional<std::string> filled_line(std::string_view line, const Places& places) {
  std::string out;
  std::string_view rest = line;
  while (true) {
    const Place* found = nullptr;
    size_t first = rest.size();
    for (const Place& each : places) {
      const size_t at = rest.find(fmt::format("@{}@", each.first));
      if (at >= first) continue;
      first = at;
      found = &each;
    }
    out += rest.substr(0, first);
    if (found == nullptr) return out;
    const size_t length = found->first.size() + 2;
    if (found->second.empty() && trim(line).size() == length) return std::nullopt;
    out += indented(found->second, line);
    rest.remove_prefix(first + length);
  }
}

}  // namespace

std::string yaml_string(std::string_view text) {
  // JSON's strings are YAML's double-quoted scalars (YAML 1.2, section 1.3).
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string yaml_list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(yaml_string(text));
  return "[" + join(items, ", ") + "]";
}

std::string filled(std::string_view text, const Places& places) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    if (const auto written = filled_line(line, places)) out += *written + "\n";
  }
  return out;
}

}  // namespace pinwheel::ci
