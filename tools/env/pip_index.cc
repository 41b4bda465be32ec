#include "env/pip_index.h"

#include <array>

#include "base/text.h"

namespace pinwheel::env {
namespace {

/// The value of a setting. pip prints it as a Python string literal.
std::optional<std::string> setting(std::string_view configuration, std::string_view name) {
  constexpr std::array<std::string_view, 4> kSections = {":env:", "download", "install", "global"};
  for (const std::string_view section : kSections) {
    const std::string key = std::string(section) + "." + std::string(name) + "=";
    for (const std::string& line : split(configuration, '\n')) {
      if (!line.starts_with(key)) continue;
      const std::string_view value = trim(std::string_view(line).substr(key.size()));
      if (value.size() >= 2) return std::string(value.substr(1, value.size() - 2));
    }
  }
  return std::nullopt;
}

/// A setting with several values, separated by white space.
std::vector<std::string> settings(std::string_view configuration, std::string_view name) {
  std::vector<std::string> values;
  const std::string text = replace_all(setting(configuration, name).value_or(""), "\\n", " ");
  for (const std::string& word : split(text, ' ')) {
    if (!trim(word).empty()) values.emplace_back(trim(word));
  }
  return values;
}

}  // namespace

std::optional<std::string> configured_index(std::string_view configuration) {
  return setting(configuration, "index-url");
}

PipIndexes configured_indexes(std::string_view configuration) {
  PipIndexes indexes;
  indexes.index = configured_index(configuration);
  indexes.extra = settings(configuration, "extra-index-url");
  indexes.find_links = settings(configuration, "find-links");
  indexes.certificates = setting(configuration, "cert").value_or("");
  const std::string none = to_lower(setting(configuration, "no-index").value_or(""));
  indexes.no_index = none == "1" || none == "true" || none == "yes" || none == "on";
  return indexes;
}

}  // namespace pinwheel::env
