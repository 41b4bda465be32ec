#pragma once
// The only function that parses external JSON: the test `house` finds others.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/limits.h"

namespace pinwheel {

/// The nesting depth of the lists and objects of a JSON text. It is computed before the text is
/// parsed: copying, printing and visiting values takes stack for each level. For text that is not
/// JSON the number is meaningless.
size_t json_levels(std::string_view text);

/// The document; discarded (`is_discarded()`) for a text that is not JSON, or whose lists and
/// objects nest deeper than `limits::kJsonLevels`.
template <class Json = nlohmann::json>
Json read_json(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// The same, but throws an exception of the library (`Json::exception`) instead of returning a
/// discarded document.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) {
    throw Json::other_error::create(599, "too many levels", static_cast<const Json*>(nullptr));
  }
  return Json::parse(text);
}

}  // namespace pinwheel
