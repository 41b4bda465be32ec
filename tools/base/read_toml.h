#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/toml.h"

namespace pinwheel {

/// Why a text is rejected as a TOML document.
struct TomlFault {
  int line = 0;  ///< from 1; 0 if it is not known
  std::string what;
};

/// The maximum nesting depth of the tables and lists of a TOML text: parts of dotted keys and of
/// the names of tables count as levels. It is computed before the text is parsed, because reading
/// and freeing a document takes stack for each level. For text that is not TOML the number is
/// meaningless.
size_t toml_levels(std::string_view text);

/// The document of an external text. A fault if it is not UTF-8, not valid, longer than
/// `limits::kProjectFile`, or has more levels than `limits::kTomlLevels`. The only function that
/// reads TOML: the test `house` finds others.
tl::expected<toml::table, TomlFault> read_toml(std::string_view text);

}  // namespace pinwheel
