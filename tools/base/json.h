#pragma once
// The only functions that parse external JSON: the test `house` finds others.
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace pinwheel {

/// The nesting depth of the lists and objects of a JSON text. It is computed before the text is
/// parsed: copying, printing and visiting values takes stack for each level. For text that is not
/// JSON the number is meaningless.
size_t json_levels(std::string_view text);

/// The document; discarded (`is_discarded()`) for a text that is not JSON, or whose lists and
/// objects nest deeper than `limits::kJsonLevels`.
nlohmann::json read_json(std::string_view text);

/// The same, but throws an exception of the library (`nlohmann::json::exception`) instead of
/// returning a discarded document.
nlohmann::json parse_json(std::string_view text);

/// A text that this process wrote, with the order of its names. Not for external text: an ordered
/// object compares each new name with all others, so a megabyte of names takes minutes.
nlohmann::ordered_json own_json(std::string_view text);

}  // namespace pinwheel
