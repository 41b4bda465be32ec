#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pinwheel::project {

/// The value of an option of cibuildwheel: words and commands are `items`, of which a plain string
/// is one; tables are `entries`.
struct CibwValue {
  std::vector<std::string> items = {};
  std::vector<std::pair<std::string, std::string>> entries = {};
  std::string file = {};  ///< where it was set

  bool operator==(const CibwValue&) const = default;
};

/// An override: options for the builds that its globs select.
struct CibwOverride {
  std::vector<std::string> select = {};
  std::vector<std::string> options = {};  ///< names

  bool operator==(const CibwOverride&) const = default;
};

/// The configuration of cibuildwheel, as it applies to Linux.
struct Cibuildwheel {
  std::map<std::string, CibwValue> options = {};  ///< by name, "test-command"
  std::vector<CibwOverride> overrides = {};       ///< in order
  std::vector<std::string> other_platforms = {};  ///< "macos", "windows": those with options

  bool operator==(const Cibuildwheel&) const = default;
};

/// Reads `[tool.cibuildwheel]`; empty without it. The table `linux` replaces the options that stand
/// above it. `config` if the text is not valid TOML.
Result<Cibuildwheel> parse_cibuildwheel(std::string_view text, const std::string& file);

/// Sets the options that environment variables name: `CIBW_TEST_COMMAND`, `CIBW_BUILD_LINUX`. A
/// name of another platform and one that does not begin with `CIBW_` are left out. `file` is where
/// they are set.
Cibuildwheel with_variables(Cibuildwheel config,
                            const std::vector<std::pair<std::string, std::string>>& variables,
                            const std::string& file);

/// The words of an option that is a list of globs or names; as one string, separated by spaces.
std::vector<std::string> words_of_option(const Cibuildwheel& config, const std::string& option);

}  // namespace pinwheel::project
