#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/toml.h"

namespace pinwheel::project {

/// Parses a TOML file. `file` is its path for messages. `config` with the line if the text is not
/// UTF-8 or not valid TOML.
Result<toml::table> parse_toml(std::string_view text, const std::string& file);

// Values of tables that no standard describes: a value of another type counts as absent.

/// The string at a dotted path.
std::optional<std::string> toml_text(const toml::table& table, std::string_view path);
/// The strings of the list at a dotted path; a string counts as a list of one.
std::vector<std::string> toml_texts(const toml::table& table, std::string_view path);
/// Whether the value at a dotted path is `true`.
bool toml_flag(const toml::table& table, std::string_view path);
/// The table at a dotted path; nullptr if there is none.
const toml::table* toml_table(const toml::table& table, std::string_view path);

}  // namespace pinwheel::project
