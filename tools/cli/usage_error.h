#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace pinwheel::cli {

/// The innermost command in argv.
const CLI::App& deepest_command(const CLI::App& app);

/// The error of a command line that the parser refused, kind `usage`; the hint has the nearest
/// name, or the command that shows the usage.
Error usage_error(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& arguments);

/// The error for an option of the parsed command line whose value is empty: a script whose variable
/// is unset would switch off what the option asks for.
Done refuse_empty_values(const CLI::App& command);

}  // namespace pinwheel::cli
