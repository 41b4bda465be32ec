#include "env/pip_index.h"

#include <array>

#include "base/text.h"

namespace pinwheel::env {

std::optional<std::string> configured_index(std::string_view configuration) {
  constexpr std::array<std::string_view, 4> kSections = {":env:", "download", "install", "global"};
  for (const std::string_view section : kSections) {
    const std::string key = std::string(section) + ".index-url=";
    for (const std::string& line : split(configuration, '\n')) {
      if (!line.starts_with(key)) continue;
      const std::string_view value = trim(std::string_view(line).substr(key.size()));
      // pip prints the value as a Python string literal.
      if (value.size() >= 2) return std::string(value.substr(1, value.size() - 2));
    }
  }
  return std::nullopt;
}

}  // namespace pinwheel::env
