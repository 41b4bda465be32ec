#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

/// Appends a text as a JSON string, byte for byte as `nlohmann::json(text).dump()`, but without
/// creating a `nlohmann::json` for text that is printable ASCII.
void append_json_text(std::string_view text, std::string& json);

/// The same for a list of texts, on one line.
void append_json_list(const std::vector<std::string>& texts, std::string& json);

}  // namespace pinwheel
