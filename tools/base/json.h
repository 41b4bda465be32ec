#pragma once
// The one way to read JSON from outside: `house` finds another.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/limits.h"

namespace pinwheel {

/// How deep the lists and objects of a JSON text lie in each other. It is read before the text is
/// parsed: copying, printing and walking through values takes stack for each level. Of text that is
/// no JSON it is a number that means nothing.
size_t json_levels(std::string_view text);

/// The document; discarded (`is_discarded()`) for a text that is not JSON, or whose lists and
/// objects lie deeper in each other than `limits::kJsonLevels`.
template <class Json = nlohmann::json>
Json read_json(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// The same; an exception of the library (`Json::exception`) instead of a discarded document.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  if (json_levels(text) > limits::kJsonLevels) {
    throw Json::other_error::create(599, "too many levels", static_cast<const Json*>(nullptr));
  }
  return Json::parse(text);
}

}  // namespace pinwheel
