#include "base/json.h"

#include <algorithm>

#include "base/limits.h"

namespace pinwheel {

size_t json_levels(std::string_view text) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

nlohmann::json read_json(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) {
    return nlohmann::json(nlohmann::json::value_t::discarded);
  }
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

nlohmann::json parse_json(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) {
    throw nlohmann::json::other_error::create(599, "too many levels",
                                              static_cast<const nlohmann::json*>(nullptr));
  }
  return nlohmann::json::parse(text);
}

nlohmann::ordered_json own_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

}  // namespace pinwheel
