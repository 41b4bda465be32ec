#include "base/encoded_pairs.h"

#include <algorithm>

#include "base/mask.h"
#include "base/text.h"
#include "base/url.h"

namespace pinwheel {

EncodedPairs parse_encoded_pairs(std::string_view text) {
  EncodedPairs pairs;
  for (const std::string& entry : split(text, ',')) {
    const std::string_view whole = trim(entry);
    if (whole.empty()) continue;
    const size_t equal = whole.find('=');
    const std::string_view name = trim(whole.substr(0, equal));
    if (equal == std::string_view::npos || name.empty()) {
      ++pairs.malformed;
      continue;
    }
    pairs.values[std::string(name)] = decode_percent(trim(whole.substr(equal + 1)));
  }
  return pairs;
}

bool names_otlp_headers(std::string_view name) {
  return name.starts_with("OTEL_EXPORTER_OTLP_") && name.ends_with("HEADERS");
}

bool is_secret_header(std::string_view name, std::string_view value) {
  const bool word = std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.' || c == '/';
  });
  const std::string lower = to_lower(std::string(name));
  return !word || names_secret(lower) || lower.ends_with("authorization") ||
         lower.find("key") != std::string::npos || lower.find("team") != std::string::npos;
}

std::vector<Secret> secrets_in_headers(std::string_view headers) {
  std::vector<Secret> secrets;
  for (const auto& [name, value] : parse_encoded_pairs(headers).values) {
    if (!is_secret_header(name, value)) continue;
    secrets.emplace_back(value);
    const size_t space = value.rfind(' ');
    if (space != std::string::npos) secrets.emplace_back(value.substr(space + 1));
  }
  return secrets;
}

}  // namespace pinwheel
