#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/toml.h"

namespace pinwheel {

/// Why a text is no TOML document that is read.
struct TomlFault {
  int line = 0;  ///< from 1; 0 if it is not known
  std::string what;
};

/// How deep the tables and lists of a TOML text lie in each other at most: parts of dotted keys and
/// of the names of tables count as levels. It is read before the text is parsed, because reading
/// and freeing a document takes stack for each level. Of text that is no TOML it is a number that
/// means nothing.
size_t toml_levels(std::string_view text);

/// The document of a text from outside. A fault if it is not UTF-8, not valid, longer than
/// `limits::kProjectFile`, or has more levels than `limits::kTomlLevels`. The one way to read TOML:
/// `house` finds another.
tl::expected<toml::table, TomlFault> read_toml(std::string_view text);

}  // namespace pinwheel
